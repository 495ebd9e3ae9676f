import type { LogEvent } from '../model/log-view.js';
import { SpaceModel } from '../model/space-model.js';
import { type Operation, readOperation } from '../model/transaction.js';
import type { Bytes } from '../wire/bytes.js';

/**
 * Whether the operations of an event have the effect of those that were sent; undefined where the event shows
 * them in a shape of its own.
 * @param before the keys that existed, as far as the operations touch them
 */
export function hasEffectOf(
  event: LogEvent,
  sent: readonly Operation[],
  before = new SpaceModel(),
): boolean | undefined {
  const shown = event.operations.map(readOperation);
  const understood = shown.filter((one) => typeof one !== 'string');
  if (understood.length < shown.length) return undefined;
  const [wanted, got] = [before.effect(sent), before.effect(understood)];
  // What an effect does not mention stays as it was.
  const after = (effect: typeof wanted, key: Bytes): Bytes | undefined =>
    effect.has(key) ? effect.get(key) : before.state.get(key);
  return [...wanted.keys(), ...got.keys()].every((key) => after(wanted, key) === after(got, key));
}
