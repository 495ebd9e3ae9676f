/**
 * A record of the log. Little-endian; starts at a multiple of 8 bytes and is padded with zeros to one.
 * Eight zero bytes where a record should start mean the end of the records.
 *
 *      0  u32  CRC-32C of the bytes from 4 to the end of the record
 *      4  u32  length of the whole record with its padding, a multiple of 8
 *      8  u8   kind: 1 = transaction
 *      9  u8   0
 *     10  u16  bytes of the request ID
 *     12  u32  number of operations
 *     16  u64  version
 *     24  u64  version of the transaction before
 *     32  u64  durable version of the leader when it accepted this transaction
 *     40  u64  time of acceptance, milliseconds since 1970
 *     48  u32  bytes of the operations
 *     52  u32  0
 *     56       operations: u8 kind (1 write, 2 delete, 3 range delete), u32 length, key or begin;
 *              a write: u32 length, value; a range delete: u32 length, end
 *              request ID in UTF-8
 *              zeros up to the length
 *
 * The twins of these numbers are in assembly/codec/record.ts.
 */
export const RECORD = {
  lengthAt: 4,
  kindAt: 8,
  requestIdLengthAt: 10,
  operationCountAt: 12,
  versionAt: 16,
  prevVersionAt: 24,
  durableVersionAt: 32,
  timestampAt: 40,
  operationsLengthAt: 48,
  headerBytes: 56,
  alignment: 8,
  kindTransaction: 1,
} as const;

/** Request IDs are counted in 16 bits. The twin is in assembly/codec/packed.ts. */
export const REQUEST_ID_BYTES_MAX = 0xffff;
