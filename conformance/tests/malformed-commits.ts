import type { KeySpace } from '../model/key-space.js';
import { type Bytes, show, toBase64 } from '../wire/bytes.js';
import { toJson } from '../wire/json.js';

/** A commit request as it is sent. */
export type CommitJson = Readonly<Record<string, unknown>>;

/** One way to spoil a well-formed commit request. */
export interface MalformedCommit {
  readonly name: string;
  readonly spoil: (valid: CommitJson, space: KeySpace) => string | Buffer;
}

const LISTS = {
  point_read: 'preconditions',
  range_read: 'preconditions',
  write: 'operations',
  delete: 'operations',
  range_delete: 'operations',
} as const;

type ElementType = keyof typeof LISTS;

const FIELDS: Readonly<Record<ElementType, readonly string[]>> = {
  point_read: ['key'],
  range_read: ['begin', 'end'],
  write: ['key', 'value'],
  delete: ['key'],
  range_delete: ['begin', 'end'],
};

const ELEMENTS = Object.keys(LISTS) as readonly ElementType[];

/** A commit of one write that no server may refuse. */
export function wellFormed(
  space: KeySpace,
  leaderId: string,
  readVersion: bigint,
  requestId: string,
): CommitJson {
  return {
    request_id: requestId,
    leader_id: leaderId,
    read_version: readVersion,
    preconditions: [],
    operations: [element('write', space)],
  };
}

/** A key of `space` whose base64 ends without padding, so that text can be added to it. */
export function aligned(space: KeySpace, key: Bytes): Bytes {
  const whole = space.key(key);
  return whole + '.'.repeat((3 - (whole.length % 3)) % 3);
}

function element(type: ElementType, space: KeySpace): CommitJson {
  const texts: Readonly<Record<string, Bytes>> = {
    key: space.key('key'),
    value: 'value',
    begin: space.key('a'),
    end: space.key('b'),
  };
  return { type, ...Object.fromEntries(FIELDS[type].map((field) => [field, toBase64(texts[field]!)])) };
}

const json =
  (change: (valid: CommitJson, space: KeySpace) => unknown): MalformedCommit['spoil'] =>
  (valid, space) =>
    toJson(change(valid, space));

const text =
  (change: (valid: string) => string | Buffer): MalformedCommit['spoil'] =>
  (valid) =>
    change(toJson(valid));

const without = (object: CommitJson, field: string): CommitJson =>
  Object.fromEntries(Object.entries(object).filter(([name]) => name !== field));

type List = 'preconditions' | 'operations';
type Place = 'first' | 'last';

const goodOne = (list: List, space: KeySpace): CommitJson =>
  element(list === 'preconditions' ? 'point_read' : 'write', space);

/** Puts `bad` before or behind two elements that are fine. */
function among(
  list: List,
  place: Place,
  bad: (space: KeySpace, valid: CommitJson) => unknown,
): MalformedCommit['spoil'] {
  return json((valid, space) => {
    const good = goodOne(list, space);
    const one = bad(space, valid);
    return { ...valid, [list]: place === 'first' ? [one, good, good] : [good, good, one] };
  });
}

const PLACES: readonly Place[] = ['first', 'last'];

/** Nested far deeper than any commit, and never closed. */
export const DEEPLY_NESTED = 'a body of 30000 opening brackets';

export const NOT_JSON: readonly MalformedCommit[] = [
  { name: 'an empty body', spoil: () => '' },
  { name: 'a body of white space', spoil: () => ' \r\n\t ' },
  { name: 'an object that is not closed', spoil: text((valid) => valid.slice(0, -1)) },
  { name: 'the first half of an object', spoil: text((valid) => valid.slice(0, valid.length / 2)) },
  { name: 'an object followed by a word', spoil: text((valid) => `${valid} x`) },
  { name: 'an object followed by a comma', spoil: text((valid) => `${valid},`) },
  { name: 'an object followed by a brace', spoil: text((valid) => `${valid}}`) },
  { name: 'an object followed by a zero byte', spoil: text((valid) => `${valid}\0`) },
  { name: 'two objects', spoil: text((valid) => `${valid}${valid}`) },
  { name: 'two objects on two lines', spoil: text((valid) => `${valid}\n${valid}`) },
  { name: 'an object after a word', spoil: text((valid) => `x ${valid}`) },
  { name: 'an object without commas', spoil: text((valid) => valid.replace(',"leader_id"', ' "leader_id"')) },
  {
    name: 'an object without a colon',
    spoil: text((valid) => valid.replace('"operations":', '"operations" ')),
  },
  { name: 'words', spoil: () => 'commit this, please' },
  { name: 'a form', spoil: (valid) => `leader_id=${valid['leader_id']}&read_version=0&operations=[]` },
  { name: 'XML', spoil: () => '<commit><operations/></commit>' },
  { name: DEEPLY_NESTED, spoil: () => '['.repeat(30_000) },
  { name: 'an empty array', spoil: () => '[]' },
  { name: 'an array of one commit', spoil: json((valid) => [valid]) },
  { name: 'a string that holds a commit', spoil: text((valid) => toJson(valid)) },
  { name: 'an empty string', spoil: () => '""' },
  { name: 'a number', spoil: () => '5' },
  { name: 'true', spoil: () => 'true' },
  { name: 'null', spoil: () => 'null' },
];

/** Something of a wrong type, made of the right thing. */
type Wrong = readonly [name: string, value: (good: unknown) => unknown];

/** Some of these turn into a good string where types are converted. */
const NOT_STRINGS: readonly Wrong[] = [
  ['a number', () => 1234],
  ['0', () => 0],
  ['true', () => true],
  ['false', () => false],
  ['an object', () => ({})],
  ['an empty array', () => []],
  ['an array of the string', (good) => [good]],
];

const NOT_INTEGERS: readonly Wrong[] = [
  ['a string of digits', (good) => `${good}`],
  ['a word', () => 'text'],
  ['an empty string', () => ''],
  ['a fraction', () => 0.5],
  ['true', () => true],
  ['false', () => false],
  ['an object', () => ({})],
  ['an empty array', () => []],
  ['an array of the number', (good) => [good]],
];

/** Made of an element. */
const NOT_ARRAYS: readonly Wrong[] = [
  ['an object', () => ({})],
  ['an element without the array', (good) => good],
  ['an object of elements', (good) => ({ '0': good })],
  ['a word', () => 'text'],
  ['an empty string', () => ''],
  ['a number', () => 5],
  ['0', () => 0],
  ['true', () => true],
  ['false', () => false],
];

/** Made of an element. */
const NOT_OBJECTS: readonly Wrong[] = [
  ['null', () => null],
  ['a string', () => 'write'],
  ['a number', () => 5],
  ['true', () => true],
  ['false', () => false],
  ['an empty array', () => []],
  ['an array of an element', (good) => [good]],
];

const fieldOfType = (field: string, wrong: readonly Wrong[]): readonly MalformedCommit[] =>
  wrong.map(([name, value]) => ({
    name: `${field}: ${name}`,
    spoil: json((valid) => ({ ...valid, [field]: value(valid[field]) })),
  }));

const listOfType = (list: List): readonly MalformedCommit[] =>
  NOT_ARRAYS.map(([name, value]) => ({
    name: `${list}: ${name}`,
    spoil: json((valid, space) => ({ ...valid, [list]: value(goodOne(list, space)) })),
  }));

const absent = (field: string): readonly MalformedCommit[] => [
  { name: `no ${field}`, spoil: json((valid) => without(valid, field)) },
  { name: `${field}: null`, spoil: json((valid) => ({ ...valid, [field]: null })) },
];

export const BAD_LEADER: readonly MalformedCommit[] = [
  ...absent('leader_id'),
  ...fieldOfType('leader_id', NOT_STRINGS),
];

export const BAD_READ_VERSION: readonly MalformedCommit[] = [
  ...absent('read_version'),
  {
    name: 'no read_version, and no preconditions',
    spoil: json((valid) => without(without(valid, 'read_version'), 'preconditions')),
  },
  {
    name: 'no read_version, and a precondition without version',
    spoil: json((valid, space) => ({
      ...without(valid, 'read_version'),
      preconditions: [element('point_read', space)],
    })),
  },
  {
    name: 'no read_version, and a precondition with its own version',
    spoil: json((valid, space) => ({
      ...without(valid, 'read_version'),
      preconditions: [{ ...element('point_read', space), version: valid['read_version'] }],
    })),
  },
  ...fieldOfType('read_version', NOT_INTEGERS),
];

export const BAD_OPERATIONS: readonly MalformedCommit[] = [
  ...absent('operations'),
  ...listOfType('operations'),
];

/** A number that is longer than a request_id has to be, and never the same. */
const longNumber = (requestId: unknown): bigint =>
  BigInt(`0x1${String(requestId).replace(/[^0-9a-f]/g, '')}`) * 10n ** BigInt(String(requestId).length);

const BAD_ELEMENTS: readonly MalformedCommit[] = (['preconditions', 'operations'] as const).flatMap((list) =>
  NOT_OBJECTS.flatMap(([name, value]) =>
    PLACES.map((place) => ({
      name: `${place} of ${list}: ${name}`,
      spoil: among(list, place, (space) => value(goodOne(list, space))),
    })),
  ),
);

/** Each field of each kind of element missing, null, or of a wrong type. */
const BAD_ELEMENT_FIELDS: readonly MalformedCommit[] = ELEMENTS.flatMap((type) =>
  ['type', ...FIELDS[type]].flatMap((field) =>
    [['missing', () => undefined] as const, ['null', () => null] as const, ...NOT_STRINGS].map(
      ([name, value], index) => {
        const place = PLACES[index % PLACES.length]!;
        return {
          name: `${field} of a ${type}, ${place} of ${LISTS[type]}: ${name}`,
          spoil: among(LISTS[type], place, (space) => {
            const good = element(type, space);
            return name === 'missing' ? without(good, field) : { ...good, [field]: value(good[field]) };
          }),
        };
      },
    ),
  ),
);

const BAD_PRECONDITION_VERSION: readonly MalformedCommit[] = (['point_read', 'range_read'] as const).flatMap(
  (type) =>
    NOT_INTEGERS.flatMap(([name, value]) =>
      PLACES.map((place) => ({
        name: `version of a ${type}, ${place} of preconditions: ${name}`,
        spoil: among('preconditions', place, (space, valid) => ({
          ...element(type, space),
          version: value(valid['read_version']),
        })),
      })),
    ),
);

export const BAD_FIELDS: readonly MalformedCommit[] = [
  {
    name: 'request_id: a long number',
    spoil: json((valid) => ({ ...valid, request_id: longNumber(valid['request_id']) })),
  },
  ...fieldOfType('request_id', NOT_STRINGS),
  ...listOfType('preconditions'),
  ...BAD_ELEMENTS,
  ...BAD_ELEMENT_FIELDS,
  ...BAD_PRECONDITION_VERSION,
];

const TYPE_NAMES = {
  preconditions: ['point_read', 'range_read'],
  operations: ['write', 'delete', 'range_delete'],
} as const;

/** Names that no list has, or only the other one, or that only look like one; some stand in every JavaScript object. */
const strangeTypes = (list: List): readonly string[] => [
  '',
  'unknown',
  'read',
  'put',
  'constructor',
  'toString',
  '__proto__',
  ...TYPE_NAMES[list === 'operations' ? 'preconditions' : 'operations'],
  ...TYPE_NAMES[list].flatMap((name) => [
    name.toUpperCase(),
    name[0]!.toUpperCase() + name.slice(1),
    `${name} `,
    ` ${name}`,
    `${name}s`,
    name.slice(0, -1),
    ...(name.includes('_') ? [name.replace('_', '-'), name.replace('_', ''), name.replace('_', ' ')] : []),
  ]),
];

export const BAD_TYPES: readonly MalformedCommit[] = (['preconditions', 'operations'] as const).flatMap(
  (list) =>
    strangeTypes(list).flatMap((type) =>
      PLACES.map((place) => ({
        name: `type "${type}", ${place} of ${list}`,
        // With the fields of all kinds, so that only the type is wrong.
        spoil: among(list, place, (space) => ({
          ...element('write', space),
          ...element('range_delete', space),
          type,
        })),
      })),
    ),
);

/** What makes a text that goes on after whole groups of four no standard base64 with padding. */
const BAD_BASE64: readonly [string, string][] = [
  ['the URL-safe alphabet', '-__-'],
  ['a dash of the URL-safe alphabet', 'YW-j'],
  ['an underscore of the URL-safe alphabet', 'YW_j'],
  ['two padding characters missing', 'YQ'],
  ['one of two padding characters missing', 'YQ='],
  ['the padding character missing', 'YWI'],
  ['padding behind a whole group', 'YWJj='],
  ['a group of padding', 'YWJj===='],
  ['one padding character too many', 'YWI=='],
  ['two groups of which the first is padded', 'YQ==YQ=='],
  ['padding within a group', 'Y=Jj'],
  ['three padding characters', 'Y==='],
  ['one character more than whole groups', 'YWJjY'],
  ['a space in the middle', 'YW Jj'],
  ['a space behind', 'YWJj '],
  ['a tab in the middle', 'YW\tJj'],
  ['a line feed in the middle', 'YWJj\nYWJj'],
  ['a line feed behind', 'YWJj\n'],
  ['a carriage return and line feed in the middle', 'YWJj\r\nYWJj'],
  ['an asterisk', 'YW*j'],
  ['a full stop', 'YW.j'],
  ['a comma', 'YWJj,YWJj'],
  ['a character outside ASCII', 'YWé='],
  ['a zero character', 'YW\0j'],
  ['percent-encoded padding', 'YQ%3D%3D'],
  ['text that is not encoded at all', 'not base64!'],
  ['hexadecimal digits of odd number', '6b6579f'],
];

function badBase64(
  type: ElementType,
  field: string,
  [name, tail]: readonly [string, string],
): readonly MalformedCommit[] {
  return PLACES.map((place) => ({
    name: `${field} of a ${type}, ${place} of ${LISTS[type]}: ${name}`,
    spoil: among(LISTS[type], place, (space) => ({
      ...element(type, space),
      // However it is decoded, the range stays one of the space, and is not empty.
      ...(field === 'begin' ? { end: toBase64(space.end) } : {}),
      ...(field === 'end' ? { begin: toBase64(space.prefix) } : {}),
      [field]: toBase64(aligned(space, 'x')) + tail,
    })),
  }));
}

const BASE64_FIELDS = ELEMENTS.flatMap((type) => FIELDS[type].map((field) => [type, field] as const));

export const NOT_BASE64: readonly MalformedCommit[] = [
  ...BASE64_FIELDS.flatMap(([type, field]) => BAD_BASE64.flatMap((bad) => badBase64(type, field, bad))),
  ...BASE64_FIELDS.map(([type, field]) => ({
    name: `${field} of a ${type}: white space before`,
    spoil: among(LISTS[type], 'last', (space) => ({
      ...element(type, space),
      [field]: ` ${toBase64(aligned(space, 'b'))}`,
      ...(field === 'begin' ? { end: toBase64(space.end) } : {}),
      ...(field === 'end' ? { begin: toBase64(space.prefix) } : {}),
    })),
  })),
];

/** Two keys in the order of their raw bytes, and what takes them for equal or for the other way round. */
export const NEIGHBOURS: readonly { readonly low: Bytes; readonly high: Bytes; readonly trap: string }[] = [
  { low: 'a', high: 'b', trap: 'nothing' },
  { low: '\x7f', high: '\x80', trap: 'bytes as signed numbers' },
  { low: '\xcf', high: '\xd0', trap: 'the base64 text' },
  { low: 'a', high: 'a\x0d', trap: 'the base64 text with its padding' },
  { low: '\xef\xbd\x9e', high: '\xf0\x90\x80\x80', trap: 'UTF-16' },
  { low: 'aa', high: 'b', trap: 'the length first' },
  { low: 'B', high: 'a', trap: 'letters of any case' },
  { low: 'A', high: 'a', trap: 'equality of letters of any case' },
  { low: '\x80', high: '\x81', trap: 'UTF-8, where both are replaced' },
  { low: 'k', high: 'k\0', trap: 'the common length only' },
  { low: 'k\0a', high: 'k\0b', trap: 'text up to a zero byte' },
  { low: '\x01\x02', high: '\x02\x01', trap: 'the last byte first' },
  { low: 'a', high: 'a ', trap: 'text without white space at its end' },
  { low: 'e\xcc\x81', high: '\xc3\xa9', trap: 'normalized Unicode' },
  { low: `${'x'.repeat(300)}a`, high: `${'x'.repeat(300)}b`, trap: 'the first 256 bytes only' },
];

const emptyRange = (begin: Bytes, end: Bytes, name: string): readonly MalformedCommit[] =>
  PLACES.map((place) => ({
    name: `range_read [${show(begin)}, ${show(end)}), ${place} of preconditions: ${name}`,
    spoil: among('preconditions', place, (space, valid) => ({
      type: 'range_read',
      ...(place === 'last' ? { version: valid['read_version'] } : {}),
      begin: toBase64(aligned(space, '') + begin),
      end: toBase64(aligned(space, '') + end),
    })),
  }));

export const EMPTY_RANGES: readonly MalformedCommit[] = [
  ...NEIGHBOURS.flatMap(({ low, high, trap }) => [
    ...emptyRange(high, low, `end is less, also if one compares by ${trap}`),
    ...emptyRange(low, low, 'end is equal'),
  ]),
  {
    name: 'range_read with an empty end',
    spoil: among('preconditions', 'last', (space) => ({ ...element('range_read', space), end: '' })),
  },
  {
    name: 'range_read with empty begin and end',
    spoil: among('preconditions', 'last', () => ({ type: 'range_read', begin: '', end: '' })),
  },
];

/** One malformed element behind many that are fine: a server that looks at the first few only misses it. */
export const BEHIND_MANY: readonly MalformedCommit[] = [16, 32, 64, 100, 128, 256].flatMap((count) =>
  (['operations', 'preconditions'] as const).flatMap((list) =>
    [
      { what: 'text that is not base64', bad: { key: '!' } },
      { what: 'an unknown type', bad: { type: 'unknown' } },
    ].map(({ what, bad }) => ({
      name: `${what} behind ${count} ${list} that are fine`,
      spoil: (valid: CommitJson, space: KeySpace) => {
        const type = list === 'operations' ? 'delete' : 'point_read';
        const fine = Array.from({ length: count }, (_, index) => ({
          type,
          key: toBase64(space.key(`${index}`)),
        }));
        return toJson({ ...valid, [list]: [...fine, { ...fine[0], ...bad }] });
      },
    })),
  ),
);
