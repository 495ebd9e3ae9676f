import type { Attempt } from '../model/ledger.js';
import { asSent, type LogRecord } from '../model/log-view.js';
import { SpaceModel } from '../model/space-model.js';
import { readOperation, showOperation, showPrecondition, showTransaction } from '../model/transaction.js';
import { type Bytes, show } from '../wire/bytes.js';
import { toJson } from '../wire/json.js';
import type { Precision } from './result.js';
import type { Run } from './test-context.js';
import { Violation } from './violation.js';

export interface Audit {
  /** What was found broken, in the order in which it was found. */
  readonly violations: readonly Violation[];
  readonly precision: Precision;
  /** Committed transactions that were replayed. */
  readonly replayed: number;
}

const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/i;

/** Looks back at the whole run: every commit request against the log as the streams have shown it. */
export function auditOf(run: Run): Audit {
  const violations: Violation[] = [...run.recorder.violations];
  const report = (requirement: string, message: string): void => {
    violations.push(new Violation(requirement, message));
  };
  const records = recordsOf(run);
  if (run.recorder.hole === undefined) auditChain(records, run.startVersion, report);
  const attemptAt = matchAttempts(run, report);
  auditOutcomes(run, report);
  const models = replay(records, attemptAt, run, report);
  return {
    violations,
    precision: measurePrecision(run, records, attemptAt, models),
    replayed: attemptAt.size,
  };
}

/** Every change of a key of the run that the log shows, in version order; none where the record has a hole. */
export function changesOf(run: Run): { readonly key: Bytes; readonly version: bigint }[] {
  const changes: { key: Bytes; version: bigint }[] = [];
  const records = recordsOf(run);
  const attemptAt = matchAttempts(run, () => undefined);
  replay(
    records,
    attemptAt,
    run,
    () => undefined,
    (key, version) => changes.push({ key, version }),
  );
  return changes;
}

/** What the recorder has read of the log of the run, in version order. */
function recordsOf(run: Run): LogRecord[] {
  return run.shared.view
    .inOrder()
    .filter(({ version }) => version > run.startVersion && version <= run.recorder.last);
}

type Report = (requirement: string, message: string) => void;

function auditChain(records: readonly LogRecord[], startVersion: bigint, report: Report): void {
  let previous = startVersion;
  for (const [index, record] of records.entries()) {
    const isFirst = index === 0;
    if (record.prevVersion !== previous && !(isFirst && record.prevVersion < previous))
      report(
        record.prevVersion > previous ? 'STREAM-COMPLETE' : 'EVENT-PREV-VERSION',
        `version ${record.version} names prev_version ${record.prevVersion}, and the transaction before it that was streamed is ${previous}`,
      );
    previous = record.version;
  }
}

const nameOf = ({ transaction }: Attempt): string => transaction.requestId ?? 'one without request_id';

/** Which attempt each committed version belongs to. */
function matchAttempts(run: Run, report: Report): Map<bigint, Attempt> {
  const { ledger, view } = run.shared;
  const attemptAt = new Map<bigint, Attempt>();
  for (const attempt of ledger.attempts) {
    const { outcome, transaction } = attempt;
    if (outcome?.kind !== 'committed') continue;
    const other = attemptAt.get(outcome.version);
    // An answer may be repeated to another use of its request_id: the first use is what committed.
    if (other === undefined) attemptAt.set(outcome.version, attempt);
    else if (transaction.requestId === undefined || other.transaction.requestId !== transaction.requestId)
      report(
        'LOG-ONE-VERSION-EACH',
        `version ${outcome.version} was answered to two commits: ${nameOf(other)} and ${nameOf(attempt)}`,
      );
  }
  // What was never answered may have committed all the same: the log tells.
  for (const record of view.inOrder()) {
    if (attemptAt.has(record.version)) continue;
    const attempts = ledger.byRequestId(record.requestId);
    const attempt =
      attempts.find(({ outcome }) => outcome === undefined || outcome.kind === 'unknown') ?? attempts[0];
    if (attempt !== undefined) attemptAt.set(record.version, attempt);
  }
  return attemptAt;
}

function auditOutcomes(run: Run, report: Report): void {
  const { ledger, view } = run.shared;
  for (const { outcome, transaction, test } of ledger.attempts) {
    const { requestId } = transaction;
    if (outcome?.kind === 'committed') {
      auditCommitted(run, outcome, transaction, report);
      continue;
    }
    if (requestId === undefined || outcome === undefined || outcome.kind === 'unknown') continue;
    const version = view.versionOf(requestId);
    const reused = ledger.byRequestId(requestId).some((one) => one.outcome?.kind !== outcome.kind);
    if (version !== undefined && !reused)
      report(
        outcome.kind === 'refused' ? 'COMMIT-MALFORMED-NO-EFFECT' : 'COMMIT-REJECTED-NO-EFFECT',
        `the log has version ${version} for a commit of ${test} that was answered ${outcome.kind === 'refused' ? outcome.status : outcome.kind}: ${showTransaction(transaction)}`,
      );
  }
}

function auditCommitted(
  run: Run,
  outcome: Extract<Attempt['outcome'], { kind: 'committed' }>,
  transaction: Attempt['transaction'],
  report: Report,
): void {
  const record = run.shared.view.get(outcome.version);
  const { requestId } = transaction;
  if (record === undefined) {
    const elsewhere = requestId === undefined ? undefined : run.shared.view.versionOf(requestId);
    if (elsewhere !== undefined)
      report(
        'COMMIT-ANSWER-VERSION',
        `${requestId} was answered as committed at ${outcome.version}, and the log has it at ${elsewhere}`,
      );
    else if (run.recorder.hole === undefined && outcome.version <= run.recorder.last)
      report(
        'STREAM-COMPLETE',
        `version ${outcome.version} (${requestId ?? 'without request_id'}) was answered as committed, and no stream has it`,
      );
    return;
  }
  if (requestId !== undefined && record.requestId !== requestId)
    report(
      'EVENT-REQUEST-ID',
      `version ${outcome.version} was answered to ${requestId}, and the log has ${record.requestId} there`,
    );
  if (requestId === undefined && !UUID.test(record.requestId))
    report(
      'COMMIT-REQUEST-ID-GENERATED',
      `a commit without request_id has the request_id ${toJson(record.requestId)} in the log, which is no UUID`,
    );
  if (record.leaderId !== outcome.leaderId)
    report(
      'EVENT-LEADER',
      `version ${outcome.version} was committed by leader ${outcome.leaderId}, and streamed with ${record.leaderId}`,
    );
}

/** Replays every key space in version order, and checks each precondition and each event against it. */
function replay(
  records: readonly LogRecord[],
  attemptAt: ReadonlyMap<bigint, Attempt>,
  run: Run,
  report: Report,
  changed: (key: Bytes, version: bigint) => void = () => undefined,
): Map<string, SpaceModel> {
  const models = new Map<string, SpaceModel>();
  if (run.recorder.hole !== undefined) return models;
  for (const record of records) {
    const attempt = attemptAt.get(record.version);
    if (attempt?.space === undefined) continue;
    const { transaction, space } = attempt;
    let model = models.get(space);
    if (model === undefined) {
      model = new SpaceModel();
      models.set(space, model);
    }
    const missed = model.missed(transaction.preconditions ?? [], transaction.readVersion);
    if (missed !== undefined)
      report(
        'LOG-SERIALIZABLE',
        `version ${record.version} (${attempt.test}) committed although ${show(missed.key)} changed at version ${missed.version}: ${showPrecondition(missed.precondition, transaction.readVersion)} did not hold`,
      );
    for (const form of record.otherForms) auditForm(record, form, transaction, model, run, report);
    for (const key of model.apply(record.version, transaction.operations)) changed(key, record.version);
  }
  return models;
}

/** Operations that were streamed in another form than they were sent must have the same effect. */
function auditForm(
  record: LogRecord,
  form: readonly unknown[],
  transaction: Attempt['transaction'],
  model: SpaceModel,
  run: Run,
  report: Report,
): void {
  if (asSent(form, transaction.operations)) return;
  const shown = form.map(readOperation);
  const bad = shown.indexOf('bad base64');
  if (bad !== -1) {
    report('ENCODING-BASE64', `version ${record.version} was streamed with ${toJson(form[bad])}`);
    return;
  }
  const understood = shown.filter((one) => typeof one !== 'string');
  if (understood.length < shown.length) {
    run.shared.saw(
      'EVENT-OPERATIONS-SHAPE',
      `elements of a shape of their own: ${toJson(form).slice(0, 160)}`,
    );
    return;
  }
  run.shared.saw('EVENT-OPERATIONS-SHAPE', 'not always the operations as they were sent');
  const expected = model.effect(transaction.operations);
  const actual = model.effect(understood);
  const after = (effect: typeof expected, key: string): string | undefined =>
    effect.has(key) ? effect.get(key) : model.state.get(key);
  for (const key of new Set([...expected.keys(), ...actual.keys()])) {
    const [wanted, got] = [after(expected, key), after(actual, key)];
    if (wanted === got) continue;
    const say = (value: string | undefined): string => (value === undefined ? 'absent' : show(value));
    report(
      'EVENT-OPERATIONS',
      `version ${record.version} was committed with ${transaction.operations.slice(0, 6).map(showOperation).join(', ')}, after which ${show(key)} is ${say(wanted)}; by the streamed operations (${understood.slice(0, 6).map(showOperation).join(', ')}) it is ${say(got)}`,
    );
    return;
  }
}

/**
 * How many rejections were not needed: no transaction that had been sent when the rejection was answered
 * changed anything that its preconditions read.
 */
function measurePrecision(
  run: Run,
  records: readonly LogRecord[],
  attemptAt: ReadonlyMap<bigint, Attempt>,
  models: ReadonlyMap<string, SpaceModel>,
): Precision {
  const sent = records.flatMap(({ version }) => {
    const attempt = attemptAt.get(version);
    return attempt === undefined ? [] : [{ version, sent: attempt.sent }];
  });
  const bySending = sent.sort((a, b) => a.sent - b.sent);
  // The highest version among all transactions sent up to each moment.
  const highest: bigint[] = [];
  for (const [index, { version }] of bySending.entries()) {
    const before = highest[index - 1] ?? -1n;
    highest.push(version > before ? version : before);
  }
  let [committed, rejected, rejectedWithoutNeed] = [0, 0, 0];
  for (const { outcome, transaction, space, answered } of run.shared.ledger.attempts) {
    if ((transaction.preconditions ?? []).length === 0 || space === undefined) continue;
    if (outcome?.kind === 'committed') committed += 1;
    if (outcome?.kind !== 'not_committed' || outcome.leaderChanged || answered === undefined) continue;
    const model = models.get(space);
    if (model === undefined) continue;
    rejected += 1;
    let [low, high] = [0, bySending.length];
    while (low < high) {
      const middle = (low + high) >> 1;
      if (bySending[middle]!.sent < answered) low = middle + 1;
      else high = middle;
    }
    const until = highest[low - 1] ?? -1n;
    if (model.missed(transaction.preconditions ?? [], transaction.readVersion, until) === undefined)
      rejectedWithoutNeed += 1;
  }
  return { committed, rejected, rejectedWithoutNeed };
}
