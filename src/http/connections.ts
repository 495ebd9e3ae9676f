import type { Server, ServerResponse } from 'node:http';
import type { Socket } from 'node:net';

/**
 * Knows which connections are in the middle of a request, so that a stop can close the others at once. (What
 * `http.Server` calls idle leaves out connections on which no request has come yet.)
 */
export class Connections {
  /** Requests without a complete response, by connection. */
  readonly #requests = new Map<Socket, number>();
  #draining = false;

  constructor(server: Server) {
    server.on('connection', (socket: Socket) => {
      this.#requests.set(socket, 0);
      socket.once('close', () => this.#requests.delete(socket));
    });
  }

  /** A request has come; it is done when its response is closed. */
  begin(socket: Socket, response: ServerResponse): void {
    this.#add(socket, 1);
    response.once('close', () => {
      this.#add(socket, -1);
      if (this.#draining && this.#requests.get(socket) === 0) socket.destroySoon();
    });
  }

  /** Closes all connections that are not in the middle of a request now, and the others when they are done. */
  drain(): void {
    this.#draining = true;
    for (const [socket, requests] of this.#requests) {
      if (requests === 0) socket.destroySoon();
    }
  }

  #add(socket: Socket, change: number): void {
    const requests = this.#requests.get(socket);
    if (requests !== undefined) this.#requests.set(socket, requests + change);
  }
}
