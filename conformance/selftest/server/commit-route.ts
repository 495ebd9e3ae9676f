import type { Behaviour } from './behaviour.js';
import { encodeBase64 } from './bytes.js';
import type { CommitAnswer } from './commit-answer.js';
import { type CommitBodyReader, MalformedAtOperation } from './commit-body.js';
import type { Json } from './event-json.js';
import type { Leader } from './leader.js';
import type { CommitRequest, Precondition } from './record.js';
import { Refusal } from './refusal.js';

/** POST /v1/commit, from the body to the answer. */
export class CommitRoute {
  readonly #behaviour: Behaviour;
  readonly #reader: CommitBodyReader;
  readonly #leader: () => Leader;

  constructor(behaviour: Behaviour, reader: CommitBodyReader, leader: () => Leader) {
    this.#behaviour = behaviour;
    this.#reader = reader;
    this.#leader = leader;
  }

  /** @throws Refusal */
  async answer(body: Buffer): Promise<{ readonly status: number; readonly json: unknown }> {
    if (this.#behaviour.has('overloaded-now-and-then') && Math.random() < 0.03)
      throw new Refusal('overloaded', 'too many commits in flight');
    const request = this.#read(body);
    const answer = await this.#leader().commit(request);
    const status =
      answer.status === 'committed'
        ? 200
        : this.#behaviour.pick(200, {
            'not-committed-409': 409,
            'not-committed-412': 412,
            'not-committed-422': 422,
            'not-committed-answered-400': 400,
            'not-committed-answered-500': 500,
          });
    return { status, json: this.#json(answer, request) };
  }

  #read(body: Buffer): CommitRequest {
    const leader = this.#leader();
    try {
      return this.#reader.read(body, leader.lastAccepted);
    } catch (error) {
      if (!(error instanceof MalformedAtOperation)) throw error;
      leader.acceptUnchecked(error.before);
      throw error.cause;
    }
  }

  #json(answer: CommitAnswer, request: CommitRequest): unknown {
    const { version, leaderId, requestId } = answer;
    const { leader_id, ...rest } = {
      ...(this.#behaviour.has('answer-without-status') ? {} : { status: this.#status(answer.status) }),
      ...(answer.status === 'not_committed' ? this.#conflicts(answer.conflicts, request) : {}),
      version: this.#behaviour.has('commit-version-as-text') ? `${version}` : version,
      leader_id: this.#behaviour.has('leader-is-a-number') ? Number(leaderId) : leaderId,
      ...this.#echo(answer, requestId),
    };
    return answer.status === 'not_committed' && this.#behaviour.has('rejection-without-leader')
      ? rest
      : { ...rest, leader_id };
  }

  #status(status: CommitAnswer['status']): string {
    return this.#behaviour.pick<string>(status, {
      'answer-status-in-upper-case': status.toUpperCase(),
      'answer-status-conflict': status === 'committed' ? status : 'conflict',
    });
  }

  #echo(answer: CommitAnswer, requestId: string | undefined): Json {
    if (this.#behaviour.has('answer-without-request-id')) return {};
    if (requestId !== undefined) return { request_id: requestId };
    const isGenerated = answer.status === 'committed' && this.#behaviour.has('generated-request-id-echoed');
    return isGenerated ? { request_id: answer.generatedId } : {};
  }

  #conflicts(broken: readonly Precondition[], request: CommitRequest): Json {
    const { preconditions } = request;
    const indexes = broken.map((one) => preconditions.indexOf(one));
    const listed = this.#behaviour.pick(broken, {
      'first-conflict-only': broken.slice(0, 1),
      'all-preconditions-as-conflicts': preconditions,
      'conflicts-always-empty': [],
      'conflicts-name-the-first-precondition': preconditions.slice(0, 1),
      'conflicts-name-the-one-before': indexes.map((index) => preconditions[Math.max(index - 1, 0)]!),
      'conflicts-name-those-that-held': preconditions.filter((one) => !broken.includes(one)),
    });
    const json = listed.map((one) => this.#precondition(one, request.readVersion));
    return this.#behaviour.pick<Json>(
      { conflicts: json },
      {
        'conflicts-left-out': {},
        'conflicts-as-indexes': { conflicts: indexes },
        'conflicts-as-object': { conflicts: Object.fromEntries(json.entries()) },
        'conflicts-as-keys': {
          conflicts: broken.map((one) => encodeBase64(one.type === 'point_read' ? one.key : one.begin)),
        },
      },
    );
  }

  #precondition(one: Precondition, readVersion: bigint): Json {
    const version = this.#behaviour.has('conflicts-as-sent') ? one.version : (one.version ?? readVersion);
    const head = { type: one.type, ...(version === undefined ? {} : { version }) };
    if (one.type === 'point_read') return { ...head, key: encodeBase64(one.key) };
    return this.#behaviour.pick<Json>(
      { ...head, begin: encodeBase64(one.begin), end: encodeBase64(one.end) },
      {
        'conflicts-cut-to-one-key': {
          ...head,
          begin: encodeBase64(one.begin),
          end: encodeBase64(`${one.begin}\0`),
        },
        'conflicts-name-ranges-as-points': { ...head, type: 'point_read', key: encodeBase64(one.begin) },
      },
    );
  }
}
