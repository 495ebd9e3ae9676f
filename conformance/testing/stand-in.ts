import http from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type { TestContext } from 'node:test';

/** A request as a stand-in for a server got it. */
export interface Received {
  readonly method: string;
  readonly path: string;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: string;
  /** The number of the connection, and of the request on it, both from 0. */
  readonly connection: number;
  readonly place: number;
}

/** Sends an answer, or something else. */
export type Reaction = (received: Received, response: http.ServerResponse, socket: Socket) => void;

/** A server that answers as a test of the suite says. */
export class StandIn {
  readonly received: Received[] = [];
  readonly #server: http.Server;
  readonly #sockets: Socket[] = [];
  readonly #requestsOn = new Map<Socket, number>();

  private constructor(react: Reaction) {
    this.#server = http.createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
      const { socket } = request;
      const place = this.#requestsOn.get(socket) ?? 0;
      this.#requestsOn.set(socket, place + 1);
      const parts: Buffer[] = [];
      request.on('data', (part: Buffer) => parts.push(part));
      request.on('end', () => {
        const received: Received = {
          method: request.method ?? '',
          path: request.url ?? '',
          headers: request.headers,
          body: Buffer.concat(parts).toString(),
          connection: this.#sockets.indexOf(socket),
          place,
        };
        this.received.push(received);
        react(received, response, socket);
      });
      // A connection that breaks is what some tests are about.
      request.on('error', () => undefined);
    });
    this.#server.on('connection', (socket) => this.#sockets.push(socket));
  }

  /** It is gone at the end of the test `t`. */
  static async start(t: TestContext, react: Reaction): Promise<StandIn> {
    const standIn = new StandIn(react);
    await new Promise<void>((resolve) => standIn.#server.listen(0, '127.0.0.1', resolve));
    t.after(() => standIn.close());
    return standIn;
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Connections that the client has not closed. */
  get open(): number {
    return this.#sockets.filter((socket) => !socket.destroyed).length;
  }

  get connections(): number {
    return this.#sockets.length;
  }

  async close(): Promise<void> {
    for (const socket of this.#sockets) socket.destroy();
    await new Promise((resolve) => this.#server.close(resolve));
  }
}
