import type { Bytes, Read, Write } from './conflict-model.js';
import { play, WalkFailure } from './conflict-play.js';
import { operationsOf, type Step, type Walk } from './conflict-walk.js';

/** Tries to leave out one thing after the other from a walk that fails, as long as it still fails and time is left. */
export function shrink(walk: Walk, failedStep: number, milliseconds: number): Walk {
  const deadline = performance.now() + milliseconds;
  const isWorse = (steps: readonly Step[]): boolean => {
    if (performance.now() > deadline) return false;
    try {
      play({ ...walk, steps });
      return false;
    } catch (error) {
      if (error instanceof WalkFailure) return true;
      throw error;
    }
  };
  let steps = walk.steps.slice(0, failedStep + 1);
  for (let before = Number.POSITIVE_INFINITY; operationsOf(steps) + steps.length < before; ) {
    before = operationsOf(steps) + steps.length;
    steps = without(steps, isWorse);
    for (let index = 0; index < steps.length; index += 1) {
      steps = shrinkStep(steps, index, isWorse);
    }
  }
  return { ...walk, steps };
}

function shrinkStep(
  steps: readonly Step[],
  index: number,
  isWorse: (steps: readonly Step[]) => boolean,
): Step[] {
  let step = steps[index]!;
  const as = (changed: Step): Step[] => steps.with(index, changed);
  const plain = { ...step, leap: 0, resets: false };
  if ((step.leap > 0 || step.resets) && isWorse(as(plain))) step = plain;
  step = { ...step, batch: without(step.batch, (batch) => isWorse(as({ ...step, batch }))) };
  for (let at = 0; at < step.batch.length; at += 1) {
    const tries = (changed: Partial<Step['batch'][number]>): Step => {
      return { ...step, batch: step.batch.with(at, { ...step.batch[at]!, ...changed }) };
    };
    step = tries({ reads: without(step.batch[at]!.reads, (reads) => isWorse(as(tries({ reads })))) });
    step = tries({ writes: without(step.batch[at]!.writes, (writes) => isWorse(as(tries({ writes })))) });
  }
  return as(step);
}

/** Leaves out what can be, in pieces of half the list, a quarter and so on. */
function without<T>(list: readonly T[], isWorse: (list: readonly T[]) => boolean): T[] {
  let rest = [...list];
  for (let size = Math.ceil(rest.length / 2); size >= 1; size = size === 1 ? 0 : Math.ceil(size / 2)) {
    for (let from = 0; from < rest.length; ) {
      const fewer = rest.toSpliced(from, size);
      if (isWorse(fewer)) rest = fewer;
      else from += size;
    }
  }
  return rest;
}

/** A walk in words, for people who want to repeat it by hand. */
export function describeWalk({ windowVersions, floor, conflictBytesMax, steps }: Walk): string {
  const lines = [
    `window ${windowVersions}, floor ${floor}, ${conflictBytesMax ?? 'enough'} bytes; lags are behind the newest version`,
  ];
  for (const { leap, resets, batch } of steps) {
    lines.push(`batch${leap > 0 ? `, ${leap} versions later` : ''}${resets ? ', history anew' : ''}`);
    for (const { reads, writes } of batch) {
      lines.push(`  transaction: ${[...reads.map(readText), ...writes.map(writeText)].join('; ')}`);
    }
  }
  return lines.join('\n');
}

function readText(read: Read): string {
  const what = read.kind === 'point' ? hex(read.key) : `${hex(read.begin)} to ${hex(read.end)}`;
  return `read ${what} at lag ${read.version}`;
}

function writeText(write: Write): string {
  return `write ${write.kind === 'rangeDelete' ? `${hex(write.begin)} to ${hex(write.end)}` : hex(write.key)}`;
}

/** Equal bytes in a row as, for example, 61*1024. */
function hex(key: Bytes): string {
  const runs = Buffer.from(key)
    .toString('hex')
    .match(/(..)\1*/g);
  const texts = runs?.map((run) => (run.length < 12 ? run : ` ${run.slice(0, 2)}*${run.length / 2} `));
  return `<${(texts ?? []).join('').trim()}>`;
}
