import { isUnavailable } from '../api/decode.js';
import { write } from '../model/transaction.js';
import type { Test } from '../run/test.js';
import type { TestContext } from '../run/test-context.js';
import { Violation } from '../run/violation.js';
import type { HttpAnswer } from '../wire/http.js';
import { type Exposition, parseExposition } from './exposition.js';
import { restartServer } from './restart-server.js';

const CPU = 'process_cpu_seconds_total';

/** No single client keeps so many processors busy: a larger number of seconds counts something else. */
const PROCESSORS = 64;

/** The answer to a GET, asked again as long as the server is unavailable. */
function get(t: TestContext, path: string, requirement: string): Promise<HttpAnswer> {
  return t.until(`an answer of GET ${path} other than that it is unavailable`, requirement, async () => {
    const answer = await t.api.raw('GET', path);
    return isUnavailable(answer.status) ? undefined : answer;
  });
}

async function metrics(t: TestContext): Promise<Exposition> {
  const { status, body } = await get(t, '/metrics', 'METRICS-FORMAT');
  t.check('METRICS-FORMAT', status >= 200 && status < 300, `GET /metrics answered ${status}`);
  const text = body.toString('utf8');
  t.check('METRICS-FORMAT', Buffer.from(text).equals(body), 'GET /metrics answered what is not UTF-8');
  return parseExposition(text);
}

/** The seconds of all processes that are counted; each has labels of its own. @throws Violation */
function cpuSeconds({ types, helps, samples }: Exposition): number {
  // OpenMetrics leaves the suffix out where it says of which type a counter is.
  const name = [CPU, CPU.replace(/_total$/, '')].find((one) => types.has(one));
  if (name === undefined) throw new Violation('METRICS-CPU', `GET /metrics has no TYPE line for ${CPU}`);
  if (types.get(name) !== 'counter')
    throw new Violation('METRICS-CPU', `${CPU} is said to be a ${types.get(name)}`);
  if (!helps.has(name)) throw new Violation('METRICS-CPU', `GET /metrics has no HELP line for ${CPU}`);
  const values = samples.filter((sample) => sample.name === CPU).map(({ value }) => value);
  const total = values.reduce((sum, value) => sum + value, 0);
  if (values.length === 0 || !values.every((value) => value >= 0 && Number.isFinite(value)))
    throw new Violation(
      'METRICS-CPU',
      `${CPU} is ${values.join(', ') || 'missing'}: not a number of seconds`,
    );
  return total;
}

export const serviceTests: readonly Test[] = [
  {
    name: 'service/ok',
    title: 'GET /ok answers 200, again and again, also while commits are under way.',
    requirements: ['OK-ANSWERS', 'PATHS-PREFIXED'],
    run: async (t) => {
      const space = t.space();
      const commits = Promise.all(
        Array.from({ length: 5 }, (_, index) => t.write([write(space.key(`${index}`), 'x')], space)),
      );
      // Whatever becomes of the commits is told after the health.
      commits.catch(() => undefined);
      for (let index = 0; index < 10; index += 1) {
        const { status } = await get(t, '/ok', 'OK-ANSWERS');
        t.check('OK-ANSWERS', status === 200, `GET /ok answered ${status}`);
      }
      await commits;
    },
  },
  {
    name: 'service/ok-after-restart',
    title: 'GET /ok answers 200 after a restart, before anything is written.',
    requirements: ['OK-ANSWERS'],
    needs: ['restart'],
    phase: 'disruptive',
    run: async (t) => {
      await restartServer(t);
      const { status } = await get(t, '/ok', 'OK-ANSWERS');
      t.check('OK-ANSWERS', status === 200, `GET /ok answered ${status} after a restart`);
    },
  },
  {
    name: 'service/metrics',
    title: 'GET /metrics answers in the text exposition format.',
    requirements: ['METRICS-FORMAT', 'METRICS-LIST', 'PATHS-PREFIXED'],
    run: async (t) => {
      const { types, samples } = await metrics(t);
      const names = [...types.keys()];
      t.saw(
        'METRICS-LIST',
        `${names.length} metrics, ${samples.length} samples: ${names.slice(0, 8).join(', ')}`,
      );
      await Promise.all(Array.from({ length: 4 }, () => metrics(t)));
    },
  },
  {
    name: 'service/metrics-cpu',
    title: 'process_cpu_seconds_total is a counter of seconds, and grows as the server works.',
    requirements: ['METRICS-CPU', 'METRICS-FORMAT'],
    phase: 'alone',
    run: async (t) => {
      const began = performance.now();
      const first = cpuSeconds(await metrics(t));
      let [last, scrapes] = [first, 0];
      await t.until(`${CPU} to grow while the server answers requests`, 'METRICS-CPU', async () => {
        await t.each(Array.from({ length: 30 }), 6, async () => {
          await t.now();
        });
        const next = cpuSeconds(await metrics(t));
        t.check('METRICS-CPU', next >= last, `${CPU} went back from ${last} to ${next}`);
        last = next;
        scrapes += 1;
        return next > first && scrapes >= t.scale(15, 30) ? true : undefined;
      });
      const seconds = (performance.now() - began) / 1000;
      t.check(
        'METRICS-CPU',
        last - first <= (seconds + 1) * PROCESSORS,
        `${CPU} grew by ${last - first} within ${seconds.toFixed(1)} seconds`,
      );
    },
  },
  {
    name: 'service/paths',
    title: 'The API is served below /v1, and the health check and the metrics without it.',
    requirements: ['PATHS-PREFIXED'],
    run: async (t) => {
      for (const path of ['/v1/version', '/v1/retention/', '/ok', '/metrics']) {
        const { status } = await get(t, path, 'PATHS-PREFIXED');
        t.check('PATHS-PREFIXED', status >= 200 && status < 300, `GET ${path} answered ${status}`);
      }
    },
  },
];
