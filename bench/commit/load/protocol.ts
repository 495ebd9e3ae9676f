/** Told of each answer, in the order of the requests; `version` is for the clients' knowledge. */
export type OnAnswer = (committed: boolean, version: number) => void;

/** What is spoken on one connection. Every request has the same length, so that buffers are made once. */
export interface Protocol {
  readonly requestBytes: number;
  /** Sent ahead of the first request, to open the session; what comes back is for `decode` to skip. */
  readonly greeting?: Buffer;
  /**
   * Writes a transaction into `buffer`, from `offset` on.
   * @param key the number of the key that it reads and writes
   * @param version what is known about the key, or the log
   */
  encode(buffer: Buffer, offset: number, key: number, version: number): void;
  /**
   * Takes the complete answers at the start of `bytes`, which the next call overwrites.
   * @returns how many bytes they had
   * @throws when an answer is none to a transaction
   */
  decode(bytes: Buffer, onAnswer: OnAnswer): number;
}
