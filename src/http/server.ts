import http, { type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo, Socket } from 'node:net';
import type Koa from 'koa';
import { declaresTooMuch } from './body.js';
import { Connections } from './connections.js';
import type { HttpMetrics } from './metrics.js';
import { Problem, type ProblemKind } from './problem.js';

export interface ServerOptions {
  readonly host: string;
  /** 0 takes a free one. */
  readonly port: number;
  /** How long one request may take to arrive, milliseconds. */
  readonly requestTimeoutMs: number;
  readonly maxConnections: number;
  /** Bytes of a request body. */
  readonly maxCommitBytes: number;
  readonly metrics: HttpMetrics;
  /** Told of errors that nothing else has caught. */
  readonly onInternalError: (error: unknown, request: IncomingMessage) => void;
}

/** Longer than the idle timeout of common proxies, so that they never send into a closing connection. */
const KEEP_ALIVE_MS = 75_000;

const PARSER_PROBLEMS: Readonly<Record<string, ProblemKind>> = {
  ERR_HTTP_REQUEST_TIMEOUT: 'request-timeout',
  HPE_HEADER_OVERFLOW: 'headers-too-large',
};

/** The application on a listening socket. */
export class HttpServer {
  readonly #server: Server;
  readonly #connections: Connections;
  readonly #host: string;

  private constructor(server: Server, connections: Connections, host: string) {
    this.#server = server;
    this.#connections = connections;
    this.#host = host;
  }

  /** Resolves when requests are served. @throws when the address cannot be bound. */
  static async start(app: Koa, options: ServerOptions): Promise<HttpServer> {
    const handle = app.callback();
    const server = http.createServer({
      requestTimeout: options.requestTimeoutMs,
      headersTimeout: options.requestTimeoutMs,
      connectionsCheckingInterval: Math.max(10, Math.min(1000, options.requestTimeoutMs / 2)),
      keepAliveTimeout: KEEP_ALIVE_MS,
      noDelay: true,
      // The application refuses it, with a problem body.
      requireHostHeader: false,
    });
    const connections = new Connections(server);
    server.on('request', (request, response) => {
      connections.begin(request, response);
      handle(request, response).catch((error: unknown) => {
        options.onInternalError(error, request);
        request.socket.destroy();
      });
    });
    server.maxConnections = options.maxConnections;
    // Without this, a client that asks first would be told to send a body that is refused anyway.
    server.on('checkContinue', (request: IncomingMessage, response: ServerResponse) => {
      if (!declaresTooMuch(request, options.maxCommitBytes)) response.writeContinue();
      server.emit('request', request, response);
    });
    // Expectations other than 100-continue are the application's to refuse.
    server.on('checkExpectation', (request: IncomingMessage, response: ServerResponse) => {
      server.emit('request', request, response);
    });
    server.on('clientError', (error, socket) => {
      if (connections.giveUp(socket as Socket)) refuseUnparsed(error, socket as Socket, options.metrics);
    });
    await new Promise<void>((resolve, reject) => {
      server.once('error', (error) => {
        reject(
          new Error(`--host ${options.host} --port ${options.port} cannot be listened on: ${error.message}`, {
            cause: error,
          }),
        );
      });
      server.listen({ host: options.host, port: options.port }, () => {
        server.removeAllListeners('error');
        resolve();
      });
    });
    return new HttpServer(server, connections, options.host);
  }

  get url(): string {
    const { port } = this.#server.address() as AddressInfo;
    return `http://${this.#host.includes(':') ? `[${this.#host}]` : this.#host}:${port}`;
  }

  /** Accepts no more connections and closes those without a request; resolves when the last one is done. */
  async stop(): Promise<void> {
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    this.#connections.drain();
    await closed;
  }

  /** Cuts whatever is still connected. */
  destroyConnections(): void {
    this.#server.closeAllConnections();
  }
}

/** Answers bytes that are not an HTTP request; there is no request object, so the socket is written directly. */
function refuseUnparsed(error: Error & { code?: string }, socket: Socket, metrics: HttpMetrics): void {
  if (!socket.writable || error.code === 'ECONNRESET') {
    socket.destroy();
    return;
  }
  const kind = PARSER_PROBLEMS[error.code ?? ''] ?? 'malformed-request';
  const problem = new Problem(kind, 'the bytes received are not a complete HTTP/1.1 request');
  metrics.problem(kind);
  const body = JSON.stringify(problem);
  socket.end(
    `HTTP/1.1 ${problem.status} ${http.STATUS_CODES[problem.status]}\r\n` +
      'Content-Type: application/problem+json\r\nConnection: close\r\n' +
      `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`,
  );
}
