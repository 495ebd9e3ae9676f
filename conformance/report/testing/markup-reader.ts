/** An element of a document that `readMarkup` has read. */
export interface Node {
  readonly name: string;
  readonly attributes: ReadonlyMap<string, string>;
  readonly children: readonly (Node | string)[];
}

const ENTITIES: Readonly<Record<string, string>> = { amp: '&', lt: '<', gt: '>', quot: '"', apos: "'" };
const FORBIDDEN = /[^\t\n\r\u{20}-\u{d7ff}\u{e000}-\u{fffd}\u{10000}-\u{10ffff}]/u;
const START_TAG = /^<([A-Za-z][\w-]*)((?:\s+[A-Za-z][\w:-]*="[^"<]*")*)\s*(\/?)>/;
const END_TAG = /^<\/([A-Za-z][\w-]*)>/;
const ATTRIBUTE = /([A-Za-z][\w:-]*)="([^"<]*)"/g;

function decode(text: string): string {
  if (text.includes(']]>')) throw new Error(`]]> in text: ${text.slice(0, 80)}`);
  return text.replace(/&([^;]{0,10};)?/g, (entity) => {
    const name = entity.slice(1, -1);
    const code = /^#(?:x([0-9a-f]+)|(\d+))$/i.exec(name);
    if (code !== null)
      return String.fromCodePoint(code[1] === undefined ? Number(code[2]) : parseInt(code[1], 16));
    const character = ENTITIES[name];
    if (character === undefined) throw new Error(`bare & or unknown entity: ${entity}`);
    return character;
  });
}

function readAttributes(text: string): Map<string, string> {
  const attributes = new Map<string, string>();
  for (const [, name = '', value = ''] of text.matchAll(ATTRIBUTE)) {
    if (attributes.has(name)) throw new Error(`attribute ${name} twice`);
    // What a reader of XML does to white space that is not escaped.
    attributes.set(name, decode(value.replace(/[\t\n\r]/g, ' ')));
  }
  return attributes;
}

/**
 * Reads one root element, strictly: the part of XML that reports use, without comments, processing
 * instructions and CDATA. What precedes the root has to be cut off before.
 * @throws Error where the text is not well-formed
 */
export function readMarkup(text: string): Node {
  const forbidden = FORBIDDEN.exec(text);
  if (forbidden !== null) throw new Error(`forbidden character at ${forbidden.index}`);
  const root = { name: '', attributes: new Map<string, string>(), children: [] as (Node | string)[] };
  const open = [root];
  let position = 0;
  while (position < text.length) {
    const parent = open.at(-1)!;
    const next = text.indexOf('<', position);
    if (next !== position) {
      const end = next === -1 ? text.length : next;
      parent.children.push(decode(text.slice(position, end)));
      position = end;
      continue;
    }
    const rest = text.slice(position);
    const end = END_TAG.exec(rest);
    const start = end === null ? START_TAG.exec(rest) : null;
    if (end !== null) {
      if (open.length === 1 || parent.name !== end[1])
        throw new Error(`</${end[1]}> closes <${parent.name}>`);
      open.pop();
    } else if (start !== null) {
      const element = { name: start[1] ?? '', attributes: readAttributes(start[2] ?? ''), children: [] };
      parent.children.push(element);
      if (start[3] === '') open.push(element);
    } else throw new Error(`no tag: ${rest.slice(0, 80)}`);
    position += (end ?? start)?.[0].length ?? 0;
  }
  if (open.length > 1) throw new Error(`<${open.at(-1)?.name}> is not closed`);
  const outside = root.children.filter((child) => typeof child === 'string' && child.trim() !== '');
  const [element, ...others] = root.children.filter((child) => typeof child !== 'string');
  if (element === undefined || others.length > 0 || outside.length > 0)
    throw new Error('not one root element');
  return element;
}

/** All elements of a name below a node, in the order of the document. */
export function elementsOf(node: Node, name: string): readonly Node[] {
  return node.children.flatMap((child) =>
    typeof child === 'string' ? [] : [...(child.name === name ? [child] : []), ...elementsOf(child, name)],
  );
}

/** The text of a node and of all below it. */
export const textOf = (node: Node): string =>
  node.children.map((child) => (typeof child === 'string' ? child : textOf(child))).join('');
