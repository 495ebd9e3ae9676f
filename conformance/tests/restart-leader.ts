import { write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import { blame } from './blame.js';
import { restartServer } from './restart-server.js';

export const restartLeaderTests: readonly Test[] = [
  {
    name: 'restart/leader',
    title:
      'After a restart, GET /v1/version names the leader whom commits have to name, also before anything commits.',
    requirements: ['VERSION-LEADER', 'LEADER-STABLE'],
    needs: ['restart'],
    phase: 'disruptive',
    run: async (t) => {
      const space = t.space();
      await t.write([write(space.key('before'), 'x')], space);
      await restartServer(t);
      await blame('VERSION-LEADER', ['LEADER-STABLE'], async () => {
        for (let round = 0; round < 3; round += 1) {
          const { leaderId } = await t.now();
          const { answer } = await t.send(
            () => ({ leaderId, operations: [write(space.key('after'), `${round}`)] }),
            space,
          );
          if (answer.kind === 'committed') return;
          // Whoever answered leads now: a version that still names the other one is found by what always holds.
          await t.now();
        }
      });
    },
  },
];
