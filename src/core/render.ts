import type { Core } from './core.js';

/** Transactions as text. */
export interface RenderedTransactions {
  readonly text: Uint8Array;
  /** Where each framed transaction ends in `text`. */
  readonly ends: Uint32Array;
}

const utf8 = new TextEncoder();
/** Its twin is `UNSOUND` in assembly/render/transactions.ts. */
const STATUS_UNSOUND = -1;
/** Where `render` in assembly/render/transactions.ts leaves its results, in units of 4 bytes. */
const Result = { textAt: 0, textLength: 1, endsAt: 2, unsoundOffset: 3 } as const;

/**
 * Writes each record as `prefix`, one JSON object, `suffix`. The object is compact:
 * `{"request_id","version","prev_version","timestamp","leader_id","operations"}`, keys and values in
 * standard padded base64.
 * @param block.bytes whole records and nothing else. Checksums are not checked here.
 * @throws RangeError when the bytes are not sound records, or when the text does not fit into memory.
 */
export function renderTransactions(
  core: Core,
  block: { readonly bytes: Uint8Array; readonly leaderId: string },
  frame: { readonly prefix: Uint8Array; readonly suffix: Uint8Array },
): RenderedTransactions {
  const { wasm } = core;
  const { bytes } = block;
  const { prefix, suffix } = frame;
  const leader = utf8.encode(JSON.stringify(block.leaderId));
  const prefixAt = bytes.length;
  const suffixAt = prefixAt + prefix.length;
  const leaderAt = suffixAt + suffix.length;
  const input = wasm.reserveInput(leaderAt + leader.length);
  const memory = wasm.bytes;
  memory.set(bytes, input);
  memory.set(prefix, input + prefixAt);
  memory.set(suffix, input + suffixAt);
  memory.set(leader, input + leaderAt);

  const count = wasm.exports.render(input, bytes.length, prefix.length, suffix.length, leader.length);
  if (count === STATUS_UNSOUND) {
    throw new RangeError(`no sound record at offset ${wasm.result(Result.unsoundOffset)}`);
  }
  if (count < 0) throw new RangeError('no room for the text in the memory of the core');
  const textAt = wasm.result(Result.textAt);
  const endsAt = wasm.result(Result.endsAt);
  return {
    text: wasm.bytes.slice(textAt, textAt + wasm.result(Result.textLength)),
    ends: new Uint32Array(wasm.bytes.slice(endsAt, endsAt + 4 * count).buffer),
  };
}
