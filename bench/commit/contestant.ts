import type { Knowledge } from './load/knowledge.js';
import type { Protocol } from './load/protocol.js';
import type { ConnectionShape, LoadShape } from './load/shape.js';

/** What can be measured: our server, a rival, or a ceiling (what a server could reach that did nothing else). */
export interface Contestant {
  /** For `--only`. */
  readonly name: string;
  readonly title: string;
  readonly kind: 'ours' | 'rival' | 'ceiling';
  /** True when an answer means that the commit is on stable storage. */
  readonly isDurable: boolean;
  /** The version that is installed, or why it cannot be measured here. */
  find(): Installed | Missing;
  /**
   * Starts it with an empty data set.
   * @param directory empty, for its data
   * @throws when it does not serve
   */
  start(directory: string): Promise<RunningContestant>;
}

export interface Installed {
  readonly version: string;
}

export interface Missing {
  readonly missing: string;
}

export interface RunningContestant {
  /** The process whose CPU time counts, with its descendants. */
  readonly pid: number;
  readonly port: number;
  /** What the clients know about versions; shared by all connections. */
  readonly knowledge: Knowledge;
  /** How so many clients connect; undefined when that is not measured with this contestant. */
  shape(load: LoadShape): ConnectionShape | undefined;
  /** The language of one fresh connection. */
  protocol(): Protocol;
  stop(): Promise<void>;
}
