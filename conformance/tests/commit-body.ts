import { setTimeout as sleep } from 'node:timers/promises';
import { type Transaction, write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';

/** Sends one transaction in pieces that end at `ends`, each on its way before the next. */
async function sendInPieces(
  t: TestContext,
  key: string,
  space: string,
  ends: (length: number) => number[],
): Promise<void> {
  for (let tries = 0; tries < 30; tries += 1) {
    const basis = await t.now();
    const transaction: Transaction = {
      leaderId: basis.leaderId,
      readVersion: basis.version,
      // Characters of two, three and four bytes: pieces end within them.
      requestId: `é€😀${t.requestId()}😀€é`,
      operations: [write(key, `pieces ${tries}`)],
    };
    const open = t.api.openCommit(transaction, space);
    for (const end of ends(open.length)) {
      await open.sendUpTo(end);
      // Time for the server to read this piece alone; if it does not take it, the test finds less, and fails nothing.
      await sleep(4);
    }
    const answer = await open.finish();
    if (answer.kind === 'refused') {
      const whole = await t.send(() => ({
        requestId: `é${t.requestId()}`,
        operations: [write(key, `whole ${tries}`)],
      }));
      if (whole.answer.kind === 'refused') t.skip('the server takes no request_id outside ASCII');
    }
    t.check(
      'COMMIT-REQUEST-ID-INTACT',
      answer.kind !== 'refused',
      () =>
        `a commit that was sent in pieces was refused with ${answer.kind === 'refused' ? answer.httpStatus : ''}`,
    );
    if (answer.kind === 'committed') return;
  }
  t.giveUp('none of 30 commits that were sent in pieces got through');
}

export const commitBodyTests: readonly Test[] = [
  {
    name: 'commit/body/in-pieces',
    title: 'A body that arrives in pieces, which end anywhere, within characters too, is read as a whole.',
    requirements: ['COMMIT-REQUEST-ID-INTACT', 'EVENT-REQUEST-ID', 'COMMIT-ANSWER-REQUEST-ID'],
    run: async (t) => {
      const space = t.space();
      const start = await t.write([write(space.key('start'), 'x')], space);
      const cuts: readonly ((length: number) => number[])[] = [
        (length) => [Math.floor(length / 2)],
        (length) => [1, length - 1],
        // Byte by byte over the beginning, where the request_id stands.
        () => Array.from({ length: 30 }, (_, index) => index + 10),
        (length) => Array.from({ length: 8 }, () => t.random.below(length)).sort((a, b) => a - b),
      ];
      for (const [index, ends] of cuts.entries())
        await sendInPieces(t, space.key(`${index}`), space.name, ends);
      await (await t.api.stream({ after: start.version })).untilVersion(t.committed);
    },
  },
];
