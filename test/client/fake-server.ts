import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import type { TestContext } from 'node:test';

export interface SeenRequest {
  readonly method: string;
  readonly path: string;
  readonly query: Readonly<Record<string, string>>;
  /** Parsed JSON; undefined when there was none. */
  readonly body: Readonly<Record<string, unknown>> | undefined;
  readonly headers: Readonly<Record<string, unknown>>;
}

export type Answer = (response: ServerResponse, request: SeenRequest) => void | Promise<void>;

export interface FakeServer {
  readonly url: string;
  readonly requests: readonly SeenRequest[];
  /** Requests to this method and path. */
  to(method: string, path: string): readonly SeenRequest[];
}

/**
 * A server on loopback that gives one answer after the other; a request beyond the last one fails the test.
 */
export async function fakeServer(t: TestContext, ...answers: Answer[]): Promise<FakeServer> {
  const requests: SeenRequest[] = [];
  const server = createServer((incoming, response) => {
    const answer = answers.shift();
    const url = new URL(incoming.url ?? '', 'http://localhost');
    const chunks: Buffer[] = [];
    const handle = (): void => {
      const text = Buffer.concat(chunks).toString();
      const seen = {
        method: incoming.method ?? '',
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        body: text === '' ? undefined : JSON.parse(text),
        headers: incoming.headers,
      };
      requests.push(seen);
      void (answer ?? json({ title: 'no answer left' }, 418))(response, seen);
    };
    if (answer === resetUnread) {
      handle();
      return;
    }
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', handle);
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  t.after(() => {
    server.closeAllConnections();
    server.close();
  });
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    requests,
    to: (method, path) => requests.filter((seen) => seen.method === method && seen.path === path),
  };
}

export function json(body: unknown, status = 200, headers: Record<string, string> = {}): Answer {
  return (response) => {
    response.writeHead(status, { 'content-type': 'application/json', ...headers }).end(JSON.stringify(body));
  };
}

export function problem(status: number, name: string, headers: Record<string, string> = {}): Answer {
  const body = { type: `urn:test:${name}`, title: `title of ${name}`, status, detail: `detail of ${name}` };
  return json(body, status, { 'content-type': 'application/problem+json', ...headers });
}

/** The connection is reset before the body of the request is read. */
export const resetUnread: Answer = (response) => {
  response.destroy();
};

/** The connection is reset after the request is read, before anything is answered. */
export const reset: Answer = (response) => {
  response.destroy();
};

/** The connection is reset in the middle of the answer. */
export const resetWithin: Answer = (response) => {
  response.writeHead(200, { 'content-type': 'application/json', 'content-length': 1000 });
  response.write('{"status":"comm', () => response.destroy());
};

/** Never answered. */
export const hang: Answer = () => undefined;

/** An event stream of these texts or bytes, which then ends, or stays open. */
export function stream(chunks: readonly (string | Uint8Array)[], stay: 'stays' | 'ends' | 'breaks'): Answer {
  return async (response) => {
    response.writeHead(200, { 'content-type': 'text/event-stream' });
    response.flushHeaders();
    for (const chunk of chunks) {
      await new Promise((resolve) => response.write(chunk, resolve));
      // Lets the chunk leave as one of its own.
      await new Promise((resolve) => setImmediate(resolve));
    }
    if (stay === 'ends') response.end();
    if (stay === 'breaks') response.destroy();
  };
}

/** The text of a `transaction` event that writes the version under the key `k`. */
export function transaction(version: number, prevVersion = version - 1, leaderId = 'L1'): string {
  const data = {
    request_id: `request-of-version-${version}`,
    version,
    prev_version: prevVersion,
    timestamp: '2026-01-31T12:34:56.789Z',
    leader_id: leaderId,
    operations: [{ type: 'write', key: btoa('k'), value: btoa(`${version}`) }],
  };
  return `event: transaction\ndata: ${JSON.stringify(data)}\n\n`;
}

/** The text of a `checkpoint` event. */
export function checkpoint(committedVersion: number, leaderId = 'L1'): string {
  const data = { committed_version: committedVersion, leader_id: leaderId };
  return `event: checkpoint\ndata: ${JSON.stringify(data)}\n\n`;
}
