import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

interface Exchange {
  readonly request: IncomingMessage;
  readonly response: ServerResponse;
}

/** One connection: the exchange that came last, and those whose response is owed. */
interface Connection {
  latest: Exchange | undefined;
  readonly owed: Set<Exchange>;
  /** To be closed as soon as nothing is owed. */
  leaving: boolean;
}

const isInTheMiddle = ({ response }: Exchange) => response.headersSent && !response.writableEnded;

/**
 * Knows which responses are owed on which connection. (What `http.Server` calls idle leaves out connections on
 * which no request has come yet; and it never tells a response that waits for its turn behind another one that the
 * connection is gone.)
 */
export class Connections {
  readonly #connections = new Map<Socket, Connection>();

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      const connection: Connection = { latest: undefined, owed: new Set(), leaving: false };
      this.#connections.set(socket, connection);
      socket.once('close', () => {
        this.#connections.delete(socket);
        const waiting = [...connection.owed].filter(({ response }) => response.socket === null);
        for (const { response } of waiting) response.emit('close');
      });
    });
  }

  /** A request has come; its response is owed until it is closed. */
  begin(request: IncomingMessage, response: ServerResponse): void {
    const { socket } = request;
    const connection = this.#connections.get(socket);
    if (connection === undefined) return;
    const exchange = { request, response };
    connection.latest = exchange;
    connection.owed.add(exchange);
    response.once('close', () => {
      connection.owed.delete(exchange);
      if (connection.leaving && connection.owed.size === 0) socket.destroySoon();
    });
  }

  /**
   * What came on the connection can no longer be understood, or did not come in time. Answers that are owed to
   * earlier requests are given, then the connection is closed.
   * @returns true when nothing has been answered that the fault could be mistaken for, so that it may be answered now.
   */
  giveUp(socket: Socket): boolean {
    const connection = this.#connections.get(socket);
    const { latest, owed } = connection ?? {};
    if (connection === undefined || latest === undefined || owed === undefined) return true;
    const isCutShort = !latest.request.complete;
    const isAnswered = isCutShort && !owed.has(latest);
    if (isAnswered || [...owed].some(isInTheMiddle)) {
      socket.destroy();
      return false;
    }
    if (isCutShort) {
      owed.delete(latest);
      // Whoever reads the body is told that there is no more.
      latest.request.emit('close');
    }
    if (owed.size === 0) return true;
    connection.leaving = true;
    return false;
  }

  /** Closes all connections on which nothing is owed, and the others as soon as that is so. */
  drain(): void {
    for (const [socket, connection] of this.#connections) {
      connection.leaving = true;
      if (connection.owed.size === 0) socket.destroySoon();
    }
  }
}
