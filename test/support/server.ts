import { mkdtemp, rm } from 'node:fs/promises';
import net from 'node:net';
import os from 'node:os';
import path from 'node:path';
import type { TestContext } from 'node:test';
import { type Config, readConfig } from '../../src/config.js';
import { createLogger } from '../../src/logger.js';
import { Service } from '../../src/service.js';
import { cleanUp } from './cleanup.js';

/** A fresh directory that is gone after the test. */
export async function temporaryDirectory(context: TestContext): Promise<string> {
  const directory = await mkdtemp(path.join(os.tmpdir(), 'headwater-test-'));
  cleanUp(context, () => rm(directory, { recursive: true, force: true }));
  return directory;
}

/** The settings of a small server on a free port. */
export function testConfig(
  directory: string,
  settings: Readonly<Record<string, string | number>> = {},
): Config {
  const values = {
    port: 0,
    'data-dir': directory,
    'segment-bytes': 65536,
    'log-level': 'error',
    ...settings,
  };
  return readConfig(
    Object.entries(values).flatMap(([name, value]) => [`--${name}`, String(value)]),
    {},
  );
}

export interface Answer {
  readonly status: number;
  readonly headers: Headers;
  // biome-ignore lint/suspicious/noExplicitAny: a test reads whatever shape it expects
  readonly body: any;
  readonly text: string;
}

/** A server in this process, stopped after the test. */
export class TestServer {
  readonly #service: Service;
  #stopped: Promise<void> | undefined;

  private constructor(service: Service) {
    this.#service = service;
  }

  static async start(
    context: TestContext,
    settings: Readonly<Record<string, string | number>> = {},
    directory?: string,
  ): Promise<TestServer> {
    const config = testConfig(directory ?? (await temporaryDirectory(context)), settings);
    const service = await Service.start(config, createLogger({ level: config['log-level'], format: 'json' }));
    const server = new TestServer(service);
    cleanUp(context, () => server.stop());
    return server;
  }

  get url(): string {
    return this.#service.url;
  }

  stop(): Promise<void> {
    this.#stopped ??= this.#service.stop();
    return this.#stopped;
  }

  async request(
    method: string,
    target: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ): Promise<Answer> {
    const response = await fetch(this.url + target, {
      method,
      headers: body === undefined ? headers : { 'content-type': 'application/json', ...headers },
      ...(body !== undefined && { body: typeof body === 'string' ? body : JSON.stringify(body) }),
    });
    const text = await response.text();
    const isJson = response.headers.get('content-type')?.includes('json') ?? false;
    return {
      status: response.status,
      headers: response.headers,
      text,
      body: isJson ? JSON.parse(text) : undefined,
    };
  }

  get(target: string): Promise<Answer> {
    return this.request('GET', target);
  }

  /** Commits with the present leader and version filled in. */
  async commit(fields: Record<string, unknown> = {}): Promise<Answer> {
    const { body } = await this.get('/v1/version');
    return this.request('POST', '/v1/commit', {
      leader_id: body.leader_id,
      read_version: body.version,
      operations: [],
      ...fields,
    });
  }

  /** Sends bytes as they are and collects what comes back until the server closes, or `until` is seen. */
  raw(bytes: string | Uint8Array, options: { until?: string; end?: boolean } = {}): Promise<string> {
    return new Promise((resolve, reject) => {
      const socket = net.connect(Number(new URL(this.url).port), '127.0.0.1');
      let received = '';
      socket.on('data', (chunk) => {
        received += chunk.toString('latin1');
        if (options.until !== undefined && received.includes(options.until)) socket.destroy();
      });
      socket.on('close', () => resolve(received));
      socket.on('error', (error: NodeJS.ErrnoException) => {
        if (error.code !== 'ECONNRESET' && error.code !== 'EPIPE') reject(error);
      });
      socket.write(bytes);
      if (options.end) socket.end();
    });
  }

  /** Opens a stream. */
  async subscribe(query: string): Promise<TestStream> {
    const abort = new AbortController();
    const response = await fetch(`${this.url}/v1/subscribe${query}`, { signal: abort.signal });
    return new TestStream(response, abort);
  }
}

/** A stream as it comes over the wire. */
export class TestStream {
  text = '';
  closed = false;
  readonly response: Response;
  readonly #abort: AbortController;
  #wake: () => void = () => undefined;

  constructor(response: Response, abort: AbortController) {
    this.response = response;
    this.#abort = abort;
    void this.#read();
  }

  /** Waits until the condition holds for the text received so far. */
  async until(condition: (text: string) => boolean): Promise<string> {
    while (!condition(this.text)) {
      if (this.closed) throw new Error(`the stream closed before the condition held; it sent: ${this.text}`);
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
    return this.text;
  }

  async untilClosed(): Promise<void> {
    while (!this.closed) {
      await new Promise<void>((resolve) => {
        this.#wake = resolve;
      });
    }
  }

  /** Versions of the transactions received whole. */
  get versions(): number[] {
    return [...this.text.matchAll(/"version":(\d+),"prev_version"[^\n]*\n\n/g)].map(([, version]) =>
      Number(version),
    );
  }

  cancel(): void {
    this.#abort.abort();
  }

  async #read(): Promise<void> {
    const decoder = new TextDecoder();
    try {
      for await (const chunk of this.response.body ?? []) {
        this.text += decoder.decode(chunk, { stream: true });
        this.#wake();
      }
    } catch {
      // Cut by the server or by the test: the text received so far is what counts.
    }
    this.closed = true;
    this.#wake();
  }
}
