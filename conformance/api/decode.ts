import type { Precondition, Transaction } from '../model/transaction.js';
import { effectiveVersion } from '../model/transaction.js';
import { Violation } from '../run/violation.js';
import { fromBase64 } from '../wire/bytes.js';
import type { HttpAnswer } from '../wire/http.js';
import { asInteger, isObject, type JsonObject, parseJson, toJson } from '../wire/json.js';
import type { CommitAnswer, StatusAnswer, VersionAnswer } from './answers.js';

const isSuccess = (status: number): boolean => status >= 200 && status < 300;
const UNAVAILABLE = new Set([408, 429, 502, 503, 504]);

/** Whether a status says that the server cannot serve the request now, and might later. */
export const isUnavailable = (status: number): boolean => UNAVAILABLE.has(status);
/** These have a meaning of their own (section 7); any other 4xx may accompany not_committed. */
const ERRORS = new Set([400, 413]);

const mayCarryOutcome = (status: number): boolean =>
  isSuccess(status) || (status >= 400 && status < 500 && !ERRORS.has(status));

const clip = (text: string): string => (text.length > 300 ? `${text.slice(0, 300)}...` : text);

/** The text of a body. @throws Violation where it is not UTF-8 */
function textOf(answer: HttpAnswer, what: string): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(answer.body);
  } catch {
    throw new Violation('ENCODING-JSON', `${what} answered a body that is not UTF-8`);
  }
}

/** @throws Violation where the body is not JSON */
export function jsonOf(answer: HttpAnswer, what: string): unknown {
  const text = textOf(answer, what);
  try {
    return parseJson(text);
  } catch {
    throw new Violation(
      'ENCODING-JSON',
      `${what} answered ${answer.status} with a body that is not JSON: ${clip(text)}`,
    );
  }
}

/** @throws Violation of `missing` where there is no such field, of FIELD-VERSION-INTEGER where it is no integer */
export function versionField(json: JsonObject, field: string, missing: string, what: string): bigint {
  const value = json[field];
  if (value === undefined || value === null)
    throw new Violation(missing, `${what} has no ${field}: ${clip(toJson(json))}`);
  const version = asInteger(value);
  if (version === undefined)
    throw new Violation(
      'FIELD-VERSION-INTEGER',
      `${field} of ${what} is not an integer: ${clip(toJson(value))}`,
    );
  return version;
}

/** @throws Violation of `missing` where there is no such field, of FIELD-LEADER-STRING where it is no string */
export function leaderField(json: JsonObject, missing: string, what: string): string {
  const value = json['leader_id'];
  if (value === undefined || value === null)
    throw new Violation(missing, `${what} has no leader_id: ${clip(toJson(json))}`);
  if (typeof value !== 'string' || value === '')
    throw new Violation(
      'FIELD-LEADER-STRING',
      `leader_id of ${what} is not a string with content: ${clip(toJson(value))}`,
    );
  return value;
}

/** Section 2.4. @throws Violation */
export function decodeVersion(answer: HttpAnswer): VersionAnswer {
  const what = 'GET /v1/version';
  if (!isSuccess(answer.status))
    throw new Violation(
      'VERSION-FIELDS',
      `${what} answered ${answer.status}: ${clip(answer.body.toString())}`,
    );
  const json = jsonOf(answer, what);
  if (!isObject(json))
    throw new Violation('VERSION-FIELDS', `${what} answered ${clip(toJson(json))}, not an object`);
  return {
    version: versionField(json, 'version', 'VERSION-FIELDS', what),
    leaderId: leaderField(json, 'VERSION-FIELDS', what),
  };
}

/** Section 2.5. @throws Violation */
export function decodeStatus(answer: HttpAnswer): StatusAnswer {
  const what = 'GET /v1/status';
  if (!isSuccess(answer.status))
    throw new Violation(
      'STATUS-VALUES',
      `${what} answered ${answer.status}: ${clip(answer.body.toString())}`,
    );
  const json = jsonOf(answer, what);
  const status = isObject(json) ? json['status'] : undefined;
  if (!isObject(json) || (status !== 'committed' && status !== 'id_not_found' && status !== 'log_truncated'))
    throw new Violation('STATUS-VALUES', `${what} answered ${clip(toJson(json))}: no known status`);
  if (status !== 'committed') return { kind: status };
  return {
    kind: status,
    version: versionField(json, 'version', 'STATUS-COMMITTED', what),
    leaderId: leaderField(json, 'STATUS-COMMITTED-LEADER', what),
  };
}

/** Section 2.3. `sent` is undefined where the request was no well-formed transaction. @throws Violation */
export function decodeCommit(answer: HttpAnswer, sent: Transaction | undefined): CommitAnswer {
  const what = 'POST /v1/commit';
  const { status } = answer;
  if (isUnavailable(status)) return { kind: 'unavailable', httpStatus: status, why: `${status}` };
  const refused = { kind: 'refused', httpStatus: status, body: answer.body.toString('utf8') } as const;
  if (!mayCarryOutcome(status)) {
    if (status >= 400 && status < 500) return refused;
    throw new Violation(
      'COMMIT-ANSWER-STATUS',
      `${what} answered ${status}: ${clip(answer.body.toString())}`,
    );
  }
  const json = isSuccess(status) ? jsonOf(answer, what) : tryJson(answer);
  const outcome = isObject(json) ? json['status'] : undefined;
  if (!isSuccess(status) && outcome !== 'not_committed' && outcome !== 'committed') return refused;
  if (!isObject(json) || (outcome !== 'committed' && outcome !== 'not_committed'))
    throw new Violation(
      'COMMIT-ANSWER-STATUS',
      `${what} answered ${status} with ${clip(toJson(json))}: no known status`,
    );
  if (outcome === 'committed' && !isSuccess(status))
    throw new Violation(
      'COMMIT-ANSWER-STATUS',
      `${what} answered ${status} to a transaction that it calls committed`,
    );
  const version = versionField(
    json,
    'version',
    outcome === 'committed' ? 'COMMIT-ANSWER-VERSION' : 'COMMIT-ANSWER-RETRY-VERSION',
    what,
  );
  const leaderId = leaderField(json, 'COMMIT-ANSWER-LEADER', what);
  const requestId = json['request_id'];
  if (sent?.requestId !== undefined && requestId !== sent.requestId)
    throw new Violation(
      'COMMIT-ANSWER-REQUEST-ID',
      `${what} answered request_id ${clip(toJson(requestId ?? null))} to ${clip(toJson(sent.requestId))}`,
    );
  const conflicts = json['conflicts'];
  if (outcome === 'committed') {
    if (Array.isArray(conflicts) && conflicts.length > 0)
      throw new Violation(
        'COMMIT-ANSWER-CONFLICTS',
        `a committed answer lists conflicts: ${clip(toJson(conflicts))}`,
      );
    return {
      kind: outcome,
      httpStatus: status,
      version,
      leaderId,
      requestId: typeof requestId === 'string' ? requestId : undefined,
    };
  }
  if (!Array.isArray(conflicts))
    throw new Violation(
      'COMMIT-ANSWER-CONFLICTS',
      `a not_committed answer has no array of conflicts: ${clip(toJson(json))}`,
    );
  return {
    kind: outcome,
    httpStatus: status,
    conflicts: sent === undefined ? [] : conflicts.map((conflict) => sentPrecondition(conflict, sent)),
    version,
    leaderId,
  };
}

function tryJson(answer: HttpAnswer): unknown {
  try {
    return parseJson(answer.body.toString('utf8'));
  } catch {
    return undefined;
  }
}

/** The precondition of `sent` that an element of `conflicts` names. @throws Violation where there is none */
function sentPrecondition(conflict: unknown, sent: Transaction): Precondition {
  const found = (sent.preconditions ?? []).find((precondition) => {
    if (!isObject(conflict) || conflict['type'] !== precondition.type) return false;
    const { version } = conflict;
    // Nothing says whether a default is filled in.
    if (
      version !== undefined &&
      version !== null &&
      asInteger(version) !== effectiveVersion(precondition, sent.readVersion)
    )
      return false;
    return precondition.type === 'point_read'
      ? fromBase64(conflict['key']) === precondition.key
      : fromBase64(conflict['begin']) === precondition.begin &&
          fromBase64(conflict['end']) === precondition.end;
  });
  if (found === undefined)
    throw new Violation(
      'COMMIT-ANSWER-CONFLICTS',
      `conflicts lists what was not among the preconditions of the request: ${clip(toJson(conflict))}`,
    );
  return found;
}
