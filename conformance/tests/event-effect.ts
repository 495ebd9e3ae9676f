import type { LogEvent } from '../model/log-view.js';
import { SpaceModel } from '../model/space-model.js';
import { type Operation, readOperation } from '../model/transaction.js';

/**
 * Whether the operations of an event have the effect of those that were sent, where none of their keys
 * existed before; undefined where the event shows them in a shape of its own.
 */
export function hasEffectOf(event: LogEvent, sent: readonly Operation[]): boolean | undefined {
  const shown = event.operations.map(readOperation);
  const understood = shown.filter((one) => typeof one !== 'string');
  if (understood.length < shown.length) return undefined;
  const empty = new SpaceModel();
  const [wanted, got] = [empty.effect(sent), empty.effect(understood)];
  return [...wanted.keys(), ...got.keys()].every((key) => wanted.get(key) === got.get(key));
}
