import type { KeySpace } from '../model/key-space.js';
import { toBase64 } from '../wire/bytes.js';
import { isObject, toJson } from '../wire/json.js';
import type { CommitJson } from './malformed-commits.js';

const TOKEN = /"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+/g;

const tokens = (json: string): readonly string[] => json.match(TOKEN) ?? [];

/** Every character of every string, names of fields included, as \uXXXX. */
function escaped(json: string): string {
  const unit = (char: string, index: number): string => {
    const code = char.charCodeAt(0).toString(16).padStart(4, '0');
    return `\\u${index % 2 === 0 ? code : code.toUpperCase()}`;
  };
  return tokens(json)
    .map((token) =>
      token.startsWith('"') ? `"${(JSON.parse(token) as string).split('').map(unit).join('')}"` : token,
    )
    .join('');
}

/** The fields of all objects the other way round. */
function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .reverse()
      .map(([name, field]) => [name, backwards(field)]),
  );
}

/** Ways to write one and the same JSON value. */
export const JSON_FORMS: readonly {
  readonly name: string;
  readonly written: (value: CommitJson) => string;
}[] = [
  { name: 'as short as can be', written: toJson },
  {
    name: 'with white space wherever it may stand',
    written: (value) => ` \n${tokens(toJson(value)).join(' \r\n\t')}\n `,
  },
  { name: 'with the fields in another order', written: (value) => toJson(backwards(value)) },
  { name: 'with all characters escaped', written: (value) => escaped(toJson(value)) },
  { name: 'with slashes escaped', written: (value) => toJson(value).replaceAll('/', '\\/') },
];

/** A request whose acceptance is up to the server. */
export interface Leniency {
  readonly name: string;
  readonly written: (valid: CommitJson, space: KeySpace) => string | Buffer;
  readonly headers?: Readonly<Record<string, string>>;
}

const changed = (name: string, change: (valid: CommitJson, space: KeySpace) => unknown): Leniency => ({
  name,
  written: (valid, space) => toJson(change(valid, space)),
});

const rewritten = (name: string, rewrite: (json: string) => string | Buffer): Leniency => ({
  name,
  written: (valid) => rewrite(toJson(valid)),
});

const sentAs = (name: string, headers: Readonly<Record<string, string>>): Leniency => ({
  name,
  written: toJson,
  headers,
});

const read = (space: KeySpace): CommitJson => ({ type: 'point_read', key: toBase64(space.key('read')) });

/** Base64 of `bytes`, which must not fill its last group, with a bit set that stands for nothing. */
const trailingBits = (bytes: string): string => {
  const filled = bytes.length % 3 === 0 ? `${bytes}.` : bytes;
  const alphabet = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/';
  return toBase64(filled).replace(/.(?=(=+)$)/, (last) => alphabet[alphabet.indexOf(last) + 1]!);
};

export const LENIENCIES: readonly Leniency[] = [
  changed('an unknown field', (valid) => ({ ...valid, unknown_field: { a: [1] } })),
  changed('an unknown field of an operation', (valid, space) => ({
    ...valid,
    operations: [{ type: 'write', key: toBase64(space.key('k')), value: '', unknown_field: 1 }],
  })),
  changed('an unknown field of a precondition', (valid, space) => ({
    ...valid,
    preconditions: [{ ...read(space), unknown_field: 1 }],
  })),
  changed('request_id: null', (valid) => ({ ...valid, request_id: null })),
  changed('preconditions: null', (valid) => ({ ...valid, preconditions: null })),
  changed('version of a precondition: null', (valid, space) => ({
    ...valid,
    preconditions: [{ ...read(space), version: null }],
  })),
  changed('a negative read_version', (valid) => ({ ...valid, read_version: -1 })),
  changed('bits of base64 that stand for nothing', (valid, space) => ({
    ...valid,
    operations: [{ type: 'write', key: trailingBits(space.key('k')), value: '' }],
  })),
  rewritten('5.0 as a version', (json) => json.replace(/("read_version":\d+)/, '$1.0')),
  rewritten('5e0 as a version', (json) => json.replace(/("read_version":\d+)/, '$1e0')),
  rewritten('a field that comes twice', (json) => json.replace('{', '{"preconditions":[],')),
  rewritten('a comma behind the last field', (json) => json.replace(/}$/, ',}')),
  rewritten('a comment', (json) => `/* comment */ ${json}`),
  rewritten('a byte order mark', (json) => `\ufeff${json}`),
  rewritten('single quotes', (json) => json.replaceAll('"', "'")),
  rewritten('a number with leading zeros', (json) => json.replace('"read_version":', '"read_version":00')),
  rewritten('NaN in an unknown field', (json) => json.replace('{', '{"unknown_field":NaN,')),
  rewritten('a control character within a string', (json) => json.replace('{', '{"unknown_field":"\n",')),
  rewritten('bytes that are not UTF-8', (json) =>
    Buffer.from(json.replace('{', '{"unknown_field":"\xff",'), 'latin1'),
  ),
  rewritten('UTF-16', (json) => Buffer.from(json, 'utf16le')),
  rewritten('an unknown field nested 500 deep', (json) =>
    json.replace('{', `{"unknown_field":${'['.repeat(500)}${']'.repeat(500)},`),
  ),
  sentAs('no media type', {}),
  sentAs('application/json; charset=utf-8', { 'content-type': 'application/json; charset=utf-8' }),
  sentAs('text/plain', { 'content-type': 'text/plain' }),
  sentAs('application/x-www-form-urlencoded', { 'content-type': 'application/x-www-form-urlencoded' }),
];
