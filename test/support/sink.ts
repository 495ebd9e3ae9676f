import type { EventSink } from '../../src/feed/subscriber.js';

export interface SseEvent {
  readonly event: string;
  readonly data: { version: number; prev_version: number; committed_version: number; leader_id: string };
}

/** A connection in memory. While `paused`, everything written stays unsent. */
export class FakeSink implements EventSink {
  text = '';
  unsentBytes = 0;
  paused = false;
  state: 'open' | 'ended' | 'destroyed' = 'open';
  #drained: (() => void)[] = [];

  write(bytes: Uint8Array): void {
    if (this.state !== 'open') throw new Error('written to a closed sink');
    this.text += Buffer.from(bytes).toString('utf8');
    if (this.paused) this.unsentBytes += bytes.length;
  }

  onceDrained(callback: () => void): void {
    this.#drained.push(callback);
    if (!this.paused) this.resume();
  }

  /** Sends everything that is unsent. */
  resume(): void {
    this.paused = false;
    this.unsentBytes = 0;
    const waiting = this.#drained;
    this.#drained = [];
    for (const callback of waiting) setImmediate(callback);
  }

  end(): void {
    this.state = 'ended';
    this.resume();
  }

  destroy(): void {
    this.state = 'destroyed';
    this.resume();
  }

  /** What was written so far, comments left out. */
  get events(): SseEvent[] {
    return this.text
      .split('\n\n')
      .filter((block) => block.startsWith('event: '))
      .map((block) => {
        const [event = '', data = ''] = block.split('\n');
        return { event: event.slice('event: '.length), data: JSON.parse(data.slice('data: '.length)) };
      });
  }

  get versions(): number[] {
    return this.events.filter(({ event }) => event === 'transaction').map(({ data }) => data.version);
  }

  get checkpoints(): number[] {
    return this.events
      .filter(({ event }) => event === 'checkpoint')
      .map(({ data }) => data.committed_version);
  }
}
