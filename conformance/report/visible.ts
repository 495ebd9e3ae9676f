/**
 * Control characters, lone surrogates, marks that reorder the text around them, and characters of no width.
 * A server chooses what its answers hold: none of it may steer the reader's terminal, or hide.
 */
const INVISIBLE = /[\p{Cc}\p{Cs}\p{Zl}\p{Zp}\p{Bidi_Control}\p{Noncharacter_Code_Point}\u200b\ufeff]/gu;

const escapeCharacter = (character: string): string => {
  if (character === '\n' || character === '\t') return character;
  if (character === '\r') return '\\r';
  const code = (character.codePointAt(0) ?? 0).toString(16);
  if (code.length <= 2) return `\\x${code.padStart(2, '0')}`;
  return code.length <= 4 ? `\\u${code.padStart(4, '0')}` : `\\u{${code}}`;
};

/** The text with what cannot be seen, apart from line breaks and tabs, written as `\x1b` or `\u202e`. */
export const visible = (text: string): string => text.replace(INVISIBLE, escapeCharacter);

/** The same on a single line. */
export const visibleLine = (text: string): string =>
  visible(
    text
      .trim()
      .replace(/\s*[\r\n]\s*/g, ' ')
      .replaceAll('\t', ' '),
  );

/** A single line of at most `length` characters. */
export function shortLine(text: string, length: number): string {
  const characters = [...visibleLine(text)];
  return characters.length <= length ? characters.join('') : `${characters.slice(0, length - 3).join('')}...`;
}
