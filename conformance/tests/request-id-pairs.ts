/** Makes a request_id out of a text that was never used before. */
type Make = (stem: string) => string;

/** Two request_ids that are not the same, although they are under some way of comparing. */
export interface RequestIdPair {
  readonly name: string;
  readonly one: Make;
  readonly other: Make;
}

const pair = (name: string, one: Make, other: Make): RequestIdPair => ({ name, one, other });

/** The stem with something in the middle of it. */
const within =
  (text: string): Make =>
  (stem) =>
    `${stem.slice(0, 18)}${text}${stem.slice(18)}`;

const behind =
  (text: string): Make =>
  (stem) =>
    stem + text;

const before =
  (text: string): Make =>
  (stem) =>
    text + stem;

const long =
  (length: number, last: string): Make =>
  (stem) =>
    stem.padEnd(length - 1, '-') + last;

const digits: Make = (stem) =>
  BigInt(`0x1${stem.replace(/[^0-9a-f]/g, '')}`)
    .toString()
    .padStart(40, '1');

export const REQUEST_ID_PAIRS: readonly RequestIdPair[] = [
  pair('capital letters', before('request-'), (stem) => `request-${stem}`.toUpperCase()),
  pair('one capital letter at the end', behind('a'), behind('A')),
  pair('one character more', behind(''), behind('x')),
  pair('one character less', behind('x'), behind('')),
  pair('another first character', before('a'), before('b')),
  pair('another character in the middle', within('a'), within('b')),
  pair('another last character', behind('a'), behind('b')),
  pair('two characters swapped', behind('ab'), behind('ba')),
  pair('other punctuation', behind('-a-b'), behind('_a_b')),
  pair('no punctuation', behind('-a-b'), behind('ab')),
  pair(
    'another of 40 digits',
    (stem) => `${digits(stem)}1`,
    (stem) => `${digits(stem)}2`,
  ),
  pair(
    'another leading zero',
    (stem) => `0${digits(stem)}`,
    (stem) => `00${digits(stem)}`,
  ),
  pair('another 70th character', long(70, 'a'), long(70, 'b')),
  pair('another 100th character', long(100, 'a'), long(100, 'b')),
  pair('another 200th character', long(200, 'a'), long(200, 'b')),
  pair('a wildcard of SQL', behind('ab'), behind('a_')),
  pair('another wildcard of SQL', behind('ab'), behind('%')),
  pair('a wildcard of file names', behind('ab'), behind('*')),
  pair('a space behind', behind(''), behind(' ')),
  pair('a space before', before(''), before(' ')),
  pair('two spaces for one', within(' '), within('  ')),
  pair('a space for a plus sign', within('+'), within(' ')),
  pair('a character for its percent-encoding', behind('%41'), behind('A')),
  pair('another text behind a zero character', behind('\0a'), behind('\0b')),
  pair('composed for decomposed', behind('e\u0301'), behind('\u00e9')),
  pair('a ligature for its letters', behind('\ufb01'), behind('fi')),
  pair('another accent', behind('\u00e9'), behind('\u00e8')),
  pair('another emoji', behind('\u{1f600}'), behind('\u{1f601}')),
];

/** Characters that something on the way may take for its own. */
export const SPECIAL_TEXTS: readonly string[] = [
  '"',
  "'",
  '\\',
  '\\n',
  '\\u0041',
  '\n',
  '\r',
  '\r\n',
  '\t',
  '\0',
  '\x01',
  '\x7f',
  '\u0085',
  '\u00a0',
  '\u2028',
  '\u2029',
  '\ufeff',
  '\ufffd',
  ' ',
  '  ',
  '&',
  '=',
  '+',
  '%',
  '%41',
  '%00',
  '#',
  '/',
  '?',
  ':',
  ';',
  ',',
  '.',
  '_',
  '~',
  '@',
  '$',
  '!',
  '*',
  '(',
  '[',
  '{',
  '<b>',
  '|',
  '^',
  '`',
  '\u00e9',
  'e\u0301',
  '\u00df',
  '\u0130',
  '\u6f22\u5b57',
  '\u202e',
  '\ue000',
  '\u{1f600}',
  '\u{1f469}\u200d\u{1f680}',
  '\u{10ffff}',
];
