import { asArray, asObject, bytesField, stringField, versionField } from './decode.js';
import { encodeCommit } from './encode.js';
import {
  CommitLostError,
  OutcomeTruncatedError,
  OutcomeUnknownError,
  ProtocolError,
  RefusedError,
  TruncatedError,
  UnavailableError,
} from './errors.js';
import type { Http } from './http.js';
import { problemName } from './problem.js';
import { requestStatus } from './status.js';
import type { CommitOptions, CommitRequest, CommitResult, Conflict } from './types.js';

/** Commits a transaction; see `HeadwaterClient.commit`. */
export async function commit(
  http: Http,
  request: CommitRequest,
  options: CommitOptions = {},
): Promise<CommitResult> {
  const payload = encodeCommit(request);
  const { signal, attempts } = options;
  return await http.retry(() => commitOnce(http, request, payload, options), {
    ...(signal && { signal }),
    ...(request.requestId !== undefined ? { attempts: 1 } : attempts !== undefined && { attempts }),
    when: (error) => error instanceof UnavailableError,
  });
}

/** One request with one ID: sent once, and its outcome asked for if no reply comes. */
async function commitOnce(
  http: Http,
  request: CommitRequest,
  payload: object,
  { signal, replySignal }: CommitOptions,
): Promise<CommitResult> {
  // Nothing is on its way yet, so this is no question for GET /v1/status.
  replySignal?.throwIfAborted();
  const requestId = request.requestId ?? crypto.randomUUID();
  try {
    const { body } = await http.call({
      method: 'POST',
      path: 'v1/commit',
      body: { request_id: requestId, ...payload },
      signals: [signal, replySignal],
    });
    return decodeCommit(body, requestId, request.readVersion);
  } catch (error) {
    if (isDefinite(error, request.requestId === undefined)) throw error;
    return await resolveOutcome(http, requestId, request.readVersion, error, signal);
  }
}

/** Whether a failed request has certainly changed nothing and will not. */
function isDefinite(error: unknown, idIsFresh: boolean): boolean {
  // An ID made a moment ago can only be in use because something on the way sent our request twice.
  if (error instanceof RefusedError && idIsFresh && problemName(error.problem) === 'request-id-reused')
    return false;
  return (
    error instanceof RefusedError || error instanceof TruncatedError || error instanceof UnavailableError
  );
}

/** `minVersion` was committed before the request was sent, so the request cannot have committed below it. */
async function resolveOutcome(
  http: Http,
  requestId: string,
  minVersion: number,
  failure: unknown,
  signal: AbortSignal | undefined,
): Promise<CommitResult> {
  const outcome = await requestStatus(http, requestId, minVersion, {
    attempts: Number.POSITIVE_INFINITY,
    ...(signal && { signal }),
  }).catch((cause: unknown) => {
    throw new OutcomeUnknownError(requestId, minVersion, cause);
  });
  switch (outcome.status) {
    case 'committed':
      return { ...outcome, requestId, via: 'status' };
    case 'id_not_found':
      throw new CommitLostError(requestId, failure);
    case 'log_truncated':
      throw new OutcomeTruncatedError(requestId, minVersion, failure);
  }
}

function decodeCommit(body: unknown, requestId: string, readVersion: number): CommitResult {
  const reply = asObject(body, 'commit reply');
  if (reply['request_id'] !== requestId) throw new ProtocolError('this is the reply to another request');
  const status = stringField(reply, 'status');
  const version = versionField(reply, 'version');
  const leaderId = stringField(reply, 'leader_id');
  switch (status) {
    case 'committed':
      return { status, version, leaderId, requestId, via: 'reply' };
    case 'not_committed':
      return {
        status,
        version,
        leaderId,
        requestId,
        conflicts: decodeConflicts(reply['conflicts'], readVersion),
      };
    default:
      throw new ProtocolError(`unknown status "${status}"`);
  }
}

function decodeConflicts(list: unknown, readVersion: number): Conflict[] {
  return asArray(list ?? [], 'conflicts').map((element) => {
    const conflict = asObject(element, 'conflict');
    const version = conflict['version'] === undefined ? readVersion : versionField(conflict, 'version');
    const type = stringField(conflict, 'type');
    switch (type) {
      case 'point_read':
        return { type, version, key: bytesField(conflict, 'key') };
      case 'range_read':
        return { type, version, begin: bytesField(conflict, 'begin'), end: bytesField(conflict, 'end') };
      default:
        throw new ProtocolError(`unknown precondition "${type}"`);
    }
  });
}
