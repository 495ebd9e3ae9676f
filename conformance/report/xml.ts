/** What XML 1.0 does not allow in a document, not even escaped. */
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/gu;

/** White space is escaped too: a reader turns it into plain spaces in attributes. */
const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&apos;',
  '\t': '&#9;',
  '\n': '&#10;',
  '\r': '&#13;',
};

const escapeWith = (text: string, characters: RegExp): string =>
  text.replace(FORBIDDEN, '').replace(characters, (character) => ENTITIES[character] ?? '');

const attributeText = (text: string): string => escapeWith(text, /[&<>"'\t\n\r]/g);

/**
 * One element. The values of attributes are escaped, an attribute that is undefined is left out; children
 * are XML already.
 */
export function element(
  name: string,
  attributes: Readonly<Record<string, string | number | undefined>>,
  ...children: readonly string[]
): string {
  const list = Object.entries(attributes)
    .filter(([, value]) => value !== undefined)
    .map(([key, value]) => ` ${key}="${attributeText(String(value))}"`)
    .join('');
  const content = children.join('');
  return content === '' ? `<${name}${list}/>` : `<${name}${list}>${content}</${name}>`;
}

/** Text between tags; characters that XML forbids are dropped. */
export const xmlText = (text: string): string => escapeWith(text, /[&<>\r]/g);
