import assert from 'node:assert/strict';
import type { CommitOutcome, Refusal } from '../../src/leader/commit.js';
import type {
  AskedStatus,
  HistoricRecord,
  History,
  Moment,
  SentCommit,
  TermHistory,
} from './leader-history.js';
import { changes, violationsOf } from './violations.js';

/** Checks what a leader promises to those who commit and ask against all that it has shown. */
export function audit(history: History): void {
  checkVersions(history);
  checkLog(history);
  checkSerializability(history);
  for (const term of history.terms) checkAccepted(history, term);
  for (const commit of history.sent) checkAnswer(history, commit);
  checkReuse(history);
  for (const asked of history.asked) checkStatus(history, asked);
}

/** No version is issued twice, whatever became of it; within a term they have no gap. */
function checkVersions({ terms }: History): void {
  let highest = 0;
  for (const { startVersion, accepted } of terms) {
    let prev = startVersion;
    for (const [index, { version, prevVersion }] of accepted.entries()) {
      assert.ok(version > highest, `version ${version} was issued twice`);
      if (index > 0) assert.equal(version, prev + 1, 'a gap within a term');
      assert.equal(prevVersion, prev, `version ${version} is not chained to the one before`);
      prev = version;
      highest = version;
    }
  }
}

/** What is durable was accepted as it stands, forms a chain, and was not refused. */
function checkLog({ log, terms, sent }: History): void {
  const accepted = new Map(terms.flatMap((term) => term.accepted).map((record) => [record.version, record]));
  let prev = 0;
  for (const record of log) {
    assert.equal(record.prevVersion, prev, 'the chain of the log is broken');
    assert.deepEqual(record, accepted.get(record.version), 'the log holds what was not accepted');
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
        .find((record) => record.version > read.version && changes(record, read));
      assert.equal(change, undefined, `version ${version} has read what another one had changed`);
    }
  }
}

/** What a term accepted was meant for it, violated nothing, and was not refused. */
function checkAccepted({ sent, settings }: History, term: TermHistory): void {
  for (const { tag, requestId, keys, version, prevVersion } of term.accepted) {
    const commit = sent[tag]!;
    assert.equal(commit.leaderId, term.leaderId, 'accepted for another leader');
    assert.deepEqual([requestId, keys], [commit.requestId, commit.writes]);
    assert.ok(highestVersion(commit) <= prevVersion, `version ${version} has read ahead of the log`);
    const { preconditions } = violationsOf(commit.reads, term, prevVersion, settings.windowVersions);
    assert.deepEqual(preconditions, [], `version ${version} is a conflict`);
  }
}

function checkAnswer(history: History, commit: SentCommit): void {
  assert.ok(commit.answer, 'a commit was not answered');
  const { outcome } = commit.answer;
  const accepted = history.terms.flatMap((term) => term.accepted).filter(({ tag }) => tag === commit.tag);
  const times = outcome.kind === 'committed' || isUnknown(outcome) ? 1 : 0;
  assert.equal(accepted.length, times, `accepted ${accepted.length} times and answered ${outcome.kind}`);
  if (!commit.sentAt.available) {
    assert.deepEqual(outcome, { kind: 'refused', refusal: { kind: 'unavailable' } });
  } else if (outcome.kind === 'committed') {
    const record = history.log.find(({ version }) => version === outcome.version);
    assert.equal(record?.tag, commit.tag, 'a committed transaction is not in the log');
    assert.equal(record.leaderId, outcome.leaderId);
  } else if (outcome.kind === 'not-committed') {
    checkNotCommitted(history, commit, outcome);
  } else {
    checkRefused(history, commit, outcome.refusal);
  }
}

/** A conflict is answered with exactly what was violated, and a version that makes a retry possible. */
function checkNotCommitted(
  { terms, settings }: History,
  { reads, leaderId, sentAt, answer }: SentCommit,
  { conflicts, version, leaderId: currentId }: Extract<CommitOutcome, { kind: 'not-committed' }>,
): void {
  if (leaderId !== currentId) {
    assert.equal(currentId, terms[sentAt.terms - 1]?.leaderId);
    assert.deepEqual(conflicts, [...reads.keys()], 'nothing can be shown to hold for another leader');
    return;
  }
  const term = terms.find((one) => one.leaderId === leaderId)!;
  // It was decided somewhere between its arrival and its answer.
  const decidedAt = [sentAt.acceptedVersion, ...term.accepted.map((record) => record.version)].filter(
    (through) => through >= sentAt.acceptedVersion && through <= answer!.at.acceptedVersion,
  );
  const explained = decidedAt.some((through) => {
    const { preconditions, settledAt } = violationsOf(reads, term, through, settings.windowVersions);
    return preconditions.join() === conflicts.join() && settledAt <= version;
  });
  assert.ok(
    conflicts.length > 0 && explained,
    `nothing explains conflicts [${conflicts}] at version ${version}`,
  );
}

/** Every refusal has its reason. */
function checkRefused({ log, settings }: History, commit: SentCommit, refusal: Refusal): void {
  const { requestId, idMayBeTaken, ahead, sentAt, answer } = commit;
  const { at } = answer!;
  const termIsOver = at.terms > sentAt.terms || !at.termOpen;
  switch (refusal.kind) {
    case 'request-id-reused': {
      const isHeld = ({ version }: HistoricRecord) =>
        version <= at.durableVersion && version > sentAt.truncatedThrough;
      const used = log.some((record) => record.requestId === requestId && isHeld(record));
      assert.ok(idMayBeTaken || used, 'an ID was refused that is new');
      return;
    }
    case 'version-ahead-of-log':
      assert.ok(highestVersion(commit) > refusal.acceptedVersion, 'a version was refused that is not ahead');
      assert.ok(sentAt.acceptedVersion <= refusal.acceptedVersion);
      assert.ok(at.acceptedVersion >= refusal.acceptedVersion);
      return;
    case 'overloaded':
      assert.ok(ahead >= settings.maxInFlight, 'overloaded below the bound');
      return;
    case 'unavailable':
      assert.ok(termIsOver || at.failures > sentAt.failures, 'unavailable without a reason');
      return;
    case 'outcome-unknown':
      assert.ok(termIsOver && at.failures > sentAt.failures, 'an outcome is unknown without a reason');
  }
}

/** No ID stands in the log twice, as far back as the leader has to remember it. */
function checkReuse({ log, sent, settings }: History): void {
  for (const [index, later] of log.entries()) {
    const { readVersion, sentAt, answer } = sent[later.tag]!;
    for (const [place, { requestId, version }] of log.slice(0, index).entries()) {
      if (requestId !== later.requestId || version <= answer!.at.truncatedThrough) continue;
      const newer = log.slice(place + 1).filter((record) => record.version <= sentAt.durableVersion);
      // A repetition of the same request can only have been committed above the version that it read.
      const isForgotten = newer.length >= settings.requestIdWindowVersions && version <= readVersion;
      assert.ok(isForgotten, `versions ${version} and ${later.version} have the same request ID`);
    }
  }
}

function checkStatus(history: History, { requestId, minVersion, askedAt, answer }: AskedStatus): void {
  assert.ok(answer, 'a status lookup never ended');
  const { status, at } = answer;
  switch (status.status) {
    case 'failed':
      assert.ok(at.failures > askedAt.failures, 'a status lookup failed without a reason');
      return;
    case 'unavailable':
      assert.ok(!at.available || at.terms > askedAt.terms, 'a status is unavailable without a reason');
      return;
    case 'committed': {
      const record = history.log.find(({ version }) => version === status.version);
      assert.equal(record?.requestId, requestId, 'a status says what the log does not');
      assert.equal(record.leaderId, status.leaderId);
      assert.ok(record.version <= at.durableVersion, 'a status tells of a durable version that was none');
      return;
    }
    case 'log_truncated':
      assert.ok(at.truncatedThrough > minVersion, 'nothing was truncated that matters');
      checkFinal(history, requestId, minVersion, at);
      return;
    case 'id_not_found':
      assert.ok(askedAt.truncatedThrough <= minVersion, 'what was truncated may have held the ID');
      checkFinal(history, requestId, minVersion, at);
  }
}

/** What was not found was not there, and does not come later in this term. */
function checkFinal({ log, terms }: History, requestId: string, minVersion: number, at: Moment): void {
  const hasId = (record: HistoricRecord) => record.requestId === requestId;
  const from = Math.max(minVersion, at.truncatedThrough + 1);
  const missed = log.filter(hasId).find(({ version }) => version >= from && version <= at.durableVersion);
  assert.equal(missed, undefined, 'a status lookup missed a transaction');
  const { accepted } = terms[at.terms - 1]!;
  const late = accepted.filter(hasId).find(({ version }) => version > at.durableVersion);
  assert.equal(late, undefined, 'a transaction was accepted although its status was final');
}

const highestVersion = ({ readVersion, reads }: SentCommit): number =>
  Math.max(readVersion, ...reads.map(({ version }) => version));

const isUnknown = (outcome: CommitOutcome | undefined): boolean =>
  outcome?.kind === 'refused' && outcome.refusal.kind === 'outcome-unknown';
