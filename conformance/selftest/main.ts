import { HELP, readCommandLine, type SelftestOptions } from './command-line.js';
import type { Judgement } from './judge.js';
import { judgeCase } from './judge-case.js';
import { Score } from './score.js';

const AT_THE_SAME_TIME = 4;

const print = (text: string): void => {
  process.stdout.write(`${text}\n`);
};

async function runAll({ cases, full, seed, repeat }: SelftestOptions): Promise<Score> {
  const score = new Score();
  const queue = Array.from({ length: repeat }, (_, round) => cases.map((one) => ({ one, round }))).flat();
  const width = Math.max(...cases.map(({ name }) => name.length));
  await Promise.all(
    Array.from({ length: AT_THE_SAME_TIME }, async () => {
      for (let next = queue.shift(); next !== undefined; next = queue.shift()) {
        const { one, round } = next;
        const started = performance.now();
        const judgement = await judgeCase(one, full, seed + round).catch(
          (error: unknown): Judgement => ({
            passed: false,
            text: `THE SUITE BROKE DOWN: ${error}`,
            found: [],
          }),
        );
        score.add(one, judgement);
        const { passed, text } = judgement;
        const seconds = ((performance.now() - started) / 1000).toFixed(1).padStart(6);
        print(
          `${passed ? 'ok  ' : 'FAIL'} ${one.kind.padEnd(7)} ${one.name.padEnd(width)} ${seconds} s  ${text}`,
        );
        if (!passed && one.kind === 'fault') print(`     expected: ${one.expected.join(' or ')}`);
      }
    }),
  );
  return score;
}

try {
  const options = readCommandLine(process.argv.slice(2));
  if (options === undefined) print(HELP);
  else {
    print(`seed ${options.seed}`);
    const score = await runAll(options);
    print(['', ...score.lines()].join('\n'));
    process.exitCode = score.failed > 0 ? 1 : 0;
  }
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : error}\n\n${HELP}`);
  process.exitCode = 2;
}
