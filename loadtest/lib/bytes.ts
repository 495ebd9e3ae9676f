import { randomBytes } from 'k6/crypto';
import { b64encode } from 'k6/encoding';

/** Key number `index` in base64, 16 bytes; keys order as their numbers do. */
export function keyOf(index: number): string {
  return b64encode(`load-${String(index).padStart(11, '0')}`);
}

/** Random bytes in base64. */
export function randomValue(bytes: number): string {
  return b64encode(randomBytes(bytes));
}

/** An integer from 0 to `below` - 1. */
export function randomIndex(below: number): number {
  return Math.floor(Math.random() * below);
}

/** `count` different integers from 0 to `below` - 1. */
export function randomIndexes(count: number, below: number): number[] {
  const drawn = new Set<number>();
  while (drawn.size < count) drawn.add(randomIndex(below));
  return [...drawn];
}
