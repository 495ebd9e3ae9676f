import assert from 'node:assert/strict';
import type {
  AskedStatus,
  HistoricRecord,
  History,
  ResolvedRead,
  SentCommit,
  TermHistory,
} from './leader-history.js';
import { isNotFound } from './leader-history.js';
import type { Stream } from './leader-run.js';

/** Checks everything that a leader promises against all that it has shown. */
export function audit(history: History, streams: readonly Stream[]): void {
  const accepted = new Map(
    history.terms.flatMap((term) => term.accepted).map((record) => [record.version, record]),
  );
  checkVersions(history);
  checkLog(history, accepted);
  checkSerializability(history);
  for (const term of history.terms) checkAccepted(history, term);
  for (const commit of history.sent) checkAnswer(history, commit);
  checkReuse(history);
  for (const asked of history.asked) checkStatus(history, asked);
  const durable = new Set(history.log.map(({ version }) => version));
  for (const stream of streams) checkStream(stream, accepted, durable);
}

/** No version is issued twice; within a term they have no gap. */
function checkVersions({ terms }: History): void {
  let highest = 0;
  for (const { startVersion, accepted } of terms) {
    let prev = startVersion;
    for (const [index, { version, prevVersion }] of accepted.entries()) {
      assert.ok(version > highest, `version ${version} was issued twice`);
      if (index > 0) assert.equal(version, prev + 1, 'a gap within a term');
      assert.equal(prevVersion, prev);
      prev = version;
      highest = version;
    }
  }
}

/** What is durable was accepted as it stands, forms a chain, and was never answered with a refusal. */
function checkLog({ log, sent }: History, accepted: ReadonlyMap<number, HistoricRecord>): void {
  let prev = 0;
  for (const record of log) {
    assert.equal(record.prevVersion, prev, 'the chain of the log is broken');
    assert.deepEqual(record, accepted.get(record.version));
    prev = record.version;
    const outcome = sent[record.tag]?.answer?.outcome;
    assert.ok(
      outcome?.kind === 'committed' ? outcome.version === record.version : isUnknown(outcome),
      `version ${record.version} stands in the log, but its commit was answered otherwise`,
    );
  }
}

/** Replays the log: what a transaction read had not changed when it took effect. */
function checkSerializability({ log, sent }: History): void {
  for (const [index, { tag, version }] of log.entries()) {
    for (const read of sent[tag]!.reads) {
      const change = log
        .slice(0, index)
        .find((earlier) => earlier.version > read.version && hits(earlier, read));
      assert.equal(change, undefined, `version ${version} has read what another one had changed`);
    }
  }
}

/** What was accepted was for this term, had to be accepted, and is either durable or of unknown outcome. */
function checkAccepted({ sent, settings }: History, term: TermHistory): void {
  for (const { tag, requestId, keys, version, prevVersion } of term.accepted) {
    const commit = sent[tag]!;
    assert.equal(commit.leaderId, term.leaderId);
    assert.deepEqual([requestId, keys], [commit.requestId, commit.writes]);
    assert.ok(highestVersion(commit) <= prevVersion, `version ${version} has read ahead of the log`);
    const { preconditions } = violatedBy(commit.reads, term, prevVersion, settings.windowVersions);
    assert.deepEqual(preconditions, [], `version ${version} is a conflict`);
    const outcome = commit.answer?.outcome;
    assert.ok(outcome?.kind === 'committed' || isUnknown(outcome), `commit ${tag} was refused, but accepted`);
  }
}

function checkAnswer(history: History, commit: SentCommit): void {
  assert.ok(commit.answer, 'a commit was not answered');
  const { outcome, at } = commit.answer;
  const { sentAt } = commit;
  const records = history.terms.flatMap((term) => term.accepted).filter(({ tag }) => tag === commit.tag);
  assert.equal(
    records.length,
    outcome.kind === 'committed' || isUnknown(outcome) ? 1 : 0,
    'accepted how often',
  );
  if (!sentAt.available) assert.deepEqual(outcome, { kind: 'refused', refusal: { kind: 'unavailable' } });
  if (outcome.kind === 'committed') {
    const record = history.log.find(({ version }) => version === outcome.version);
    assert.equal(record?.tag, commit.tag, 'a committed transaction is not in the log');
    assert.equal(record.leaderId, outcome.leaderId);
  } else if (outcome.kind === 'not-committed') {
    checkNotCommitted(history, commit, outcome);
  } else {
    const { refusal } = outcome;
    const termIsOver = at.terms > sentAt.terms || !at.termOpen;
    if (refusal.kind === 'request-id-reused') {
      const used = history.log.some(({ requestId, version }) => {
        return (
          requestId === commit.requestId && version <= at.durableVersion && version > sentAt.truncatedThrough
        );
      });
      assert.ok(commit.idMayBeTaken || used, 'an ID was refused that is new');
    } else if (refusal.kind === 'version-ahead-of-log') {
      assert.ok(highestVersion(commit) > refusal.acceptedVersion, 'a version was refused that is not ahead');
      assert.ok(sentAt.acceptedVersion <= refusal.acceptedVersion);
      assert.ok(at.acceptedVersion >= refusal.acceptedVersion);
    } else if (refusal.kind === 'overloaded') {
      assert.ok(commit.ahead >= history.settings.maxInFlight, 'overloaded below the bound');
    } else if (refusal.kind === 'unavailable') {
      assert.ok(
        !sentAt.available || termIsOver || at.failures > sentAt.failures,
        'unavailable without a reason',
      );
    } else {
      assert.ok(termIsOver && at.failures > sentAt.failures, 'an outcome is unknown without a reason');
    }
  }
}

/** A conflict is answered with exactly what was violated, and a version that makes a retry possible. */
function checkNotCommitted(
  { terms, settings }: History,
  { reads, leaderId, sentAt, answer }: SentCommit,
  outcome: Extract<NonNullable<SentCommit['answer']>['outcome'], { kind: 'not-committed' }>,
): void {
  const { conflicts, version } = outcome;
  if (leaderId !== outcome.leaderId) {
    assert.equal(outcome.leaderId, terms[sentAt.terms - 1]?.leaderId);
    assert.deepEqual(conflicts, [...reads.keys()], 'nothing can be shown to hold for another leader');
    return;
  }
  const term = terms.find((one) => one.leaderId === leaderId)!;
  // It was decided somewhere between its arrival and its answer.
  const decidedAfter = [sentAt.acceptedVersion, ...term.accepted.map((record) => record.version)].filter(
    (one) => one >= sentAt.acceptedVersion && one <= answer!.at.acceptedVersion,
  );
  const explains = decidedAfter.some((through) => {
    const { preconditions, settledAt } = violatedBy(reads, term, through, settings.windowVersions);
    return preconditions.join() === conflicts.join() && settledAt <= version;
  });
  assert.ok(conflicts.length > 0 && explains, `no state of the log explains the conflicts ${conflicts}`);
}

/** No ID is committed twice, as far as the leader has to remember it. */
function checkReuse({ log, sent, settings }: History): void {
  for (const [index, later] of log.entries()) {
    const { readVersion, sentAt, answer } = sent[later.tag]!;
    for (const [place, { requestId, version }] of log.slice(0, index).entries()) {
      if (requestId !== later.requestId) continue;
      if (version <= answer!.at.truncatedThrough) continue;
      const newer = log.slice(place + 1).filter((record) => record.version <= sentAt.durableVersion).length;
      assert.ok(
        version <= sentAt.durableVersion &&
          newer >= settings.requestIdWindowVersions &&
          version <= readVersion,
        `versions ${version} and ${later.version} have the same request ID`,
      );
    }
  }
}

function checkStatus({ log, terms }: History, { requestId, minVersion, askedAt, answer }: AskedStatus): void {
  assert.ok(answer, 'a status lookup never ended');
  const { status, at } = answer;
  if (status.status === 'failed') {
    assert.ok(at.failures > askedAt.failures, 'a status lookup failed without a reason');
  } else if (status.status === 'unavailable') {
    assert.ok(!at.available || at.terms > askedAt.terms, 'a status is unavailable without a reason');
  } else if (status.status === 'committed') {
    const record = log.find(({ version }) => version === status.version);
    assert.equal(record?.requestId, requestId, 'a status says what the log does not');
    assert.equal(record.leaderId, status.leaderId);
    assert.ok(record.version <= at.durableVersion);
  } else {
    if (status.status === 'log_truncated') assert.ok(at.truncatedThrough > minVersion);
    else assert.ok(askedAt.truncatedThrough <= minVersion);
  }
  if (!isNotFound(status)) return;

  const isSearched = (version: number) => version >= minVersion && version > at.truncatedThrough;
  const missed = log.find(({ version, ...record }) => {
    return record.requestId === requestId && version <= at.durableVersion && isSearched(version);
  });
  assert.equal(missed, undefined, 'a status lookup missed a transaction');
  const late = terms[at.terms - 1]!.accepted.find(({ version, ...record }) => {
    return record.requestId === requestId && version > at.durableVersion;
  });
  assert.equal(late, undefined, 'a transaction was accepted after its status was final');
}

/** Every stream is a run of what was accepted, without a hole or a repeat, and says nothing too early. */
function checkStream(
  { after, durable, sink }: Stream,
  accepted: ReadonlyMap<number, HistoricRecord>,
  log: ReadonlySet<number>,
): void {
  assert.equal(sink.sentTooEarly, false, 'a stream told of a durable version that was none');
  let position = after;
  for (const { event, data } of sink.events) {
    if (event === 'checkpoint') {
      assert.equal(durable, false);
      assert.ok(data.committed_version <= position, 'a checkpoint ahead of its stream');
      continue;
    }
    assert.ok(data.version > position, 'a repeat');
    if (position === after) assert.ok(data.prev_version <= after, 'a hole at the start');
    else assert.equal(data.prev_version, position, 'a broken chain');
    const { prevVersion, leaderId } = accepted.get(data.version)!;
    assert.deepEqual([data.prev_version, data.leader_id], [prevVersion, leaderId]);
    if (durable) assert.ok(log.has(data.version), 'an event that is not in the log');
    position = data.version;
  }
}

/**
 * What a transaction violates that is decided when `through` is the newest version accepted in its term, and the
 * newest version that is to blame: what is below the memory of the term counts as changed.
 */
function violatedBy(
  reads: readonly ResolvedRead[],
  { startVersion, accepted }: TermHistory,
  through: number,
  windowVersions: number,
): { readonly preconditions: readonly number[]; readonly settledAt: number } {
  const before = accepted.filter(({ version }) => version <= through);
  const floor = Math.max(startVersion, (before.at(-1)?.version ?? 0) - windowVersions);
  const preconditions: number[] = [];
  let settledAt = 0;
  for (const [index, read] of reads.entries()) {
    const change = before.findLast((record) => record.version > floor && hits(record, read))?.version ?? 0;
    const last = Math.max(change, floor);
    if (last <= read.version) continue;
    preconditions.push(index);
    settledAt = Math.max(settledAt, last);
  }
  return { preconditions, settledAt };
}

/** Whether a transaction wrote what another one has read. */
const hits = ({ keys }: HistoricRecord, { begin, end }: ResolvedRead): boolean =>
  keys.some((key) => (end === undefined ? key === begin : key >= begin && key < end));

const highestVersion = ({ readVersion, reads }: SentCommit): number =>
  Math.max(readVersion, ...reads.map(({ version }) => version));

const isUnknown = (outcome: NonNullable<SentCommit['answer']>['outcome'] | undefined): boolean =>
  outcome?.kind === 'refused' && outcome.refusal.kind === 'outcome-unknown';
