import type { SegmentSummary } from '../log.js';
import { HEADER_BYTES, type SegmentHeader } from './segment-header.js';
import type { LiveIndex } from './segment-index.js';
import { indexName, segmentName } from './segment-name.js';

/** One segment as this process knows it: what of it is durable, and how to find things in it. */
export class Segment {
  readonly header: SegmentHeader;
  /** The checksum that the header block carries. */
  readonly headerChecksum: number;
  readonly path: string;
  readonly indexPath: string;
  /** The last durable record; `firstVersion - 1` while there is none. */
  lastVersion: number;
  /** Time of acceptance of the last durable record; 0 while there is none. */
  lastTimestampMs = 0;
  /** Where the durable records end. */
  bytes = HEADER_BYTES;
  /** The index, as long as it is not in its file. */
  live: LiveIndex | undefined;
  /** Truncated away: its files are gone, or about to go. */
  removed = false;

  constructor(directory: string, header: SegmentHeader, headerChecksum: number) {
    this.header = header;
    this.headerChecksum = headerChecksum;
    this.path = `${directory}/${segmentName(this.firstVersion)}`;
    this.indexPath = `${directory}/${indexName(this.firstVersion)}`;
    this.lastVersion = header.versionFloor;
  }

  get firstVersion(): number {
    return this.header.versionFloor + 1;
  }

  get recordCount(): number {
    return this.lastVersion - this.header.versionFloor;
  }

  /** The last transaction up to the end of this segment, which may stand in an earlier one. */
  get chainVersion(): number {
    return this.recordCount > 0 ? this.lastVersion : this.header.prevVersion;
  }

  /** Its time of acceptance. */
  get chainTimestampMs(): number {
    return this.recordCount > 0 ? this.lastTimestampMs : this.header.prevTimestampMs;
  }

  /** No version above this one can have been issued by the segment's term, durable or not, so far. */
  get versionCeiling(): number {
    return this.lastVersion + this.header.maxInFlight;
  }

  summary(): SegmentSummary {
    return {
      firstVersion: this.firstVersion,
      lastVersion: this.lastVersion,
      bytes: this.bytes,
      lastTimestampMs: this.lastTimestampMs,
      sealed: this.live === undefined,
    };
  }
}
