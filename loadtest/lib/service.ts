import http, { type RefinedResponse } from 'k6/http';
import { SERVICE_URL } from './settings.ts';
import type { Transaction } from './transaction.ts';

type Response = RefinedResponse<'text'>;

export interface LatestVersion {
  readonly version: number;
  readonly leader_id: string;
}

export interface CommitRequest extends Transaction {
  readonly request_id: string;
  readonly leader_id: string;
  readonly read_version: number;
}

export type CommitOutcome =
  | { readonly kind: 'committed' | 'not_committed'; readonly version: number; readonly leaderId: string }
  /** Nothing was written; for another reason than a conflict. */
  | { readonly kind: 'refused'; readonly status: number; readonly detail: string }
  /** No reply, or one that leaves the outcome open: only `GET /v1/status` knows. */
  | { readonly kind: 'unknown'; readonly detail: string };

export type StatusAnswer =
  | ({ readonly status: 'committed' } & LatestVersion)
  | { readonly status: 'id_not_found' | 'log_truncated' };

/** An outcome, and how long its answer took, milliseconds. */
export interface Timed<T> {
  readonly answer: T;
  readonly ms: number;
}

/** `POST /v1/commit`. */
export function postCommit(request: CommitRequest): Timed<CommitOutcome> {
  const response = http.post(`${SERVICE_URL}/v1/commit`, JSON.stringify(request), {
    headers: { 'Content-Type': 'application/json' },
    responseType: 'text',
    tags: { name: 'POST /v1/commit' },
    timeout: '30s',
  });
  return { answer: outcomeOf(response), ms: response.timings.duration };
}

function outcomeOf(response: Response): CommitOutcome {
  if (response.status === 0) return { kind: 'unknown', detail: response.error };
  const body = bodyOf(response);
  if (response.status === 200) {
    const { status, version, leader_id: leaderId } = body as unknown as LatestVersion & { status: string };
    return { kind: status === 'committed' ? 'committed' : 'not_committed', version, leaderId };
  }
  const detail = `${response.status} ${String(body['type'])}: ${String(body['detail'])}`;
  if (response.status >= 500 && !isRefusal(body['type'])) return { kind: 'unknown', detail };
  return { kind: 'refused', status: response.status, detail };
}

/** The server refused the commit ahead of accepting it. */
function isRefusal(type: unknown): boolean {
  return /:(unavailable|overloaded)$/.test(String(type));
}

/** The JSON object of a body; empty when it is none. */
function bodyOf({ body }: Response): Readonly<Record<string, unknown>> {
  try {
    return JSON.parse(body) as Readonly<Record<string, unknown>>;
  } catch {
    return {};
  }
}

/** `GET /v1/version`. @throws when it is not answered. */
export function getVersion(): Timed<LatestVersion> {
  const response = http.get(`${SERVICE_URL}/v1/version`, {
    responseType: 'text',
    tags: { name: 'GET /v1/version' },
  });
  return { answer: sound<LatestVersion>(response), ms: response.timings.duration };
}

/** `GET /v1/status`. @throws when it is not answered. */
export function getStatus(requestId: string, minVersion: number): Timed<StatusAnswer> {
  const query = `request_id=${encodeURIComponent(requestId)}&min_version=${minVersion}`;
  const response = http.get(`${SERVICE_URL}/v1/status?${query}`, {
    responseType: 'text',
    tags: { name: 'GET /v1/status' },
  });
  return { answer: sound<StatusAnswer>(response), ms: response.timings.duration };
}

/** One request to a retention policy, or the list with an empty name; gives the HTTP status. */
export function retention(
  method: 'GET' | 'PUT' | 'DELETE',
  policy: string,
  preventTruncate?: number,
): Timed<number> {
  const body = preventTruncate === undefined ? null : JSON.stringify({ prevent_truncate: preventTruncate });
  const response = http.request(method, `${SERVICE_URL}/v1/retention/${policy}`, body, {
    headers: { 'Content-Type': 'application/json' },
    tags: { name: `${method} /v1/retention/` },
  });
  return { answer: response.status, ms: response.timings.duration };
}

function sound<T>(response: Response): T {
  if (response.status !== 200)
    throw new Error(`${response.url}: ${response.status} ${response.error} ${response.body}`);
  return JSON.parse(response.body) as T;
}
