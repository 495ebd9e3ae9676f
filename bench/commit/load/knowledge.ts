/** What clients know about versions, and send as the expectation of their next transaction. */
export interface Knowledge {
  versionFor(key: number): number;
  learn(key: number, version: number): void;
}

/** For servers with one order of all versions: the latest one seen in any answer. */
export class LatestVersion implements Knowledge {
  #latest: number;

  constructor(latest: number) {
    this.#latest = latest;
  }

  versionFor(): number {
    return this.#latest;
  }

  learn(_key: number, version: number): void {
    if (version > this.#latest) this.#latest = version;
  }
}

/** For servers that compare the version of each key: the latest one seen of each, 0 before the first write. */
export class VersionOfEachKey implements Knowledge {
  readonly #versions: Float64Array;

  constructor(keys: number) {
    this.#versions = new Float64Array(keys);
  }

  versionFor(key: number): number {
    return this.#versions[key] ?? 0;
  }

  learn(key: number, version: number): void {
    this.#versions[key] = version;
  }
}
