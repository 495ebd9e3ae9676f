import http from 'node:http';
import https from 'node:https';
import type { ExchangeInProgress, Transcript } from './transcript.js';

export interface HttpRequest {
  readonly method: string;
  /** Path and query, percent-encoded. */
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Buffer | string;
  /** Sends the body in chunks, without declaring its length. */
  readonly chunked?: boolean;
  /** A connection of its own, not one that was used before. */
  readonly freshConnection?: boolean;
}

export interface HttpAnswer {
  readonly status: number;
  readonly headers: http.IncomingHttpHeaders;
  readonly body: Buffer;
}

/** No answer, or no whole answer, came; whether the request took effect is unknown. */
export class NoAnswer extends Error {
  override readonly name = 'NoAnswer';
}

/** A request whose body is sent in parts, as the caller says. */
export interface OpenRequest {
  /** Resolves once `bytes` and everything before are handed to the operating system. */
  send(bytes: Buffer): Promise<void>;
  /** Sends the rest and ends the request. */
  finish(bytes?: Buffer): void;
  /** Breaks the connection. */
  abandon(): void;
  /** @throws NoAnswer */
  readonly answer: Promise<HttpAnswer>;
}

/** Whether the other side closed the connection. */
const isCut = (error: NodeJS.ErrnoException): boolean =>
  error.code === 'ECONNRESET' || error.code === 'EPIPE';

const headOf = (response: http.IncomingMessage): string => {
  const lines = [`HTTP/${response.httpVersion} ${response.statusCode} ${response.statusMessage}`];
  for (let index = 0; index < response.rawHeaders.length; index += 2) {
    lines.push(`${response.rawHeaders[index]}: ${response.rawHeaders[index + 1]}`);
  }
  return lines.join('\n');
};

/** HTTP/1.1 to one server: every request leaves its evidence in a transcript. */
export class HttpClient {
  readonly #base: URL;
  readonly #patienceMs: number;
  readonly #agent: http.Agent;
  readonly #library: typeof http | typeof https;

  /** @param patienceMs how long an answer may take */
  constructor(url: string, patienceMs: number) {
    this.#base = new URL(url);
    this.#patienceMs = patienceMs;
    this.#library = this.#base.protocol === 'https:' ? https : http;
    this.#agent = new this.#library.Agent({ keepAlive: true, maxSockets: Number.POSITIVE_INFINITY });
  }

  /** Closes the connections that are kept for later requests. */
  close(): void {
    this.#agent.destroy();
  }

  /** @throws NoAnswer */
  async request(transcript: Transcript, request: HttpRequest): Promise<HttpAnswer> {
    try {
      return await this.#once(transcript, request).answer;
    } catch (error) {
      // A server may close an idle connection just when it is used again: that is no fault.
      const harmless = request.method === 'GET' && error instanceof NoAnswer && error.cause === 'reused';
      if (!harmless) throw error;
      return await this.#once(transcript, { ...request, freshConnection: true }).answer;
    }
  }

  /** Begins a request with a body of `length` bytes, or of unknown length, that the caller sends in parts. */
  open(transcript: Transcript, request: HttpRequest, length: number | undefined): OpenRequest {
    const headers = {
      ...request.headers,
      ...(length === undefined ? {} : { 'content-length': String(length) }),
    };
    return this.#start(transcript, { ...request, headers, freshConnection: true });
  }

  /**
   * Begins a request and hands over the answer as soon as its head is there, for a body that does not end.
   * @throws NoAnswer
   */
  stream(
    transcript: Transcript,
    path: string,
    signal: AbortSignal,
  ): Promise<{ response: http.IncomingMessage; exchange: ExchangeInProgress }> {
    const headers = { accept: 'text/event-stream' };
    const exchange = transcript.begin({
      method: 'GET',
      url: this.#url(path),
      path: this.#path(path),
      headers,
      body: undefined,
    });
    return new Promise((resolve, reject) => {
      const request = this.#library.request({ ...this.#target(path), method: 'GET', headers, agent: false });
      const timer = setTimeout(() => {
        request.destroy(new Error(`no answer within ${this.#patienceMs} ms`));
      }, this.#patienceMs);
      const abort = (): void => {
        request.destroy(new Error('closed by the suite'));
      };
      signal.addEventListener('abort', abort, { once: true });
      if (signal.aborted) abort();
      request.on('response', (response) => {
        clearTimeout(timer);
        exchange.responseHead = headOf(response);
        resolve({ response, exchange });
      });
      request.on('error', (error) => {
        clearTimeout(timer);
        transcript.end(exchange, error.message);
        reject(new NoAnswer(`GET ${path}: ${error.message}`));
      });
      request.on('close', () => {
        clearTimeout(timer);
        signal.removeEventListener('abort', abort);
        if (exchange.endedMs === undefined) transcript.end(exchange);
        // An answer that switches protocols ends without an error.
        reject(new NoAnswer(`GET ${path}: the connection ended without an answer`));
      });
      request.end();
    });
  }

  #url(path: string): string {
    return this.#base.origin + this.#path(path);
  }

  #path(path: string): string {
    return this.#base.pathname.replace(/\/$/, '') + path;
  }

  #target(path: string): http.RequestOptions {
    return {
      host: this.#base.hostname.replace(/^\[|\]$/g, ''),
      port: this.#base.port || (this.#base.protocol === 'https:' ? 443 : 80),
      path: this.#path(path),
      setHost: true,
    };
  }

  #once(transcript: Transcript, request: HttpRequest): OpenRequest {
    const body = typeof request.body === 'string' ? Buffer.from(request.body) : request.body;
    const headers = { ...request.headers };
    if (request.chunked === true) headers['transfer-encoding'] = 'chunked';
    else if (body !== undefined) headers['content-length'] = String(body.length);
    const open = this.#start(transcript, { ...request, headers, ...(body === undefined ? {} : { body }) });
    open.finish(body);
    return open;
  }

  #start(transcript: Transcript, request: HttpRequest): OpenRequest {
    const { method, path, headers = {} } = request;
    const exchange = transcript.begin({
      method,
      url: this.#url(path),
      path: this.#path(path),
      headers,
      body: typeof request.body === 'string' ? Buffer.from(request.body) : request.body,
    });
    const out = this.#library.request({
      ...this.#target(path),
      method,
      headers,
      agent: request.freshConnection === true ? false : this.#agent,
    });
    out.setNoDelay(true);
    const answer = this.#answerTo(out, transcript, exchange, `${method} ${path}`);
    // The caller may give up on the request before it looks at the answer.
    answer.catch(() => undefined);
    return {
      answer,
      send: (bytes) =>
        new Promise((resolve) => {
          out.write(bytes, () => resolve());
        }),
      finish: (bytes) => {
        if (bytes === undefined) out.end();
        else out.end(bytes);
      },
      abandon: () => {
        out.destroy(new Error('closed by the suite'));
      },
    };
  }

  #answerTo(
    out: http.ClientRequest,
    transcript: Transcript,
    exchange: ExchangeInProgress,
    what: string,
  ): Promise<HttpAnswer> {
    return new Promise((resolve, reject) => {
      const timer = setTimeout(() => {
        fail(new Error(`no answer within ${this.#patienceMs} ms`));
        out.destroy();
      }, this.#patienceMs);
      let answered = false;
      const fail = (error: Error): void => {
        clearTimeout(timer);
        if (answered) return;
        answered = true;
        transcript.end(exchange, error.message);
        reject(
          new NoAnswer(`${what}: ${error.message}`, {
            cause: out.reusedSocket && exchange.responseHead === '' && isCut(error) ? 'reused' : error,
          }),
        );
      };
      out.on('error', fail);
      out.on('response', (response) => {
        exchange.responseHead = headOf(response);
        response.on('data', (chunk: Buffer) => exchange.responseBody.push(chunk));
        response.on('error', fail);
        response.on('close', () => {
          if (!response.complete) fail(new Error('the connection ended within the answer'));
        });
        response.on('end', () => {
          if (!response.complete || answered) return;
          clearTimeout(timer);
          answered = true;
          transcript.end(exchange);
          resolve({
            status: response.statusCode ?? 0,
            headers: response.headers,
            body: Buffer.concat(exchange.responseBody),
          });
        });
      });
    });
  }
}
