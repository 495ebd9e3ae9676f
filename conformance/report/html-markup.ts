import { visible } from './visible.js';

/** Text that is HTML already. Everything else is escaped when it is put into HTML. */
export class Markup {
  readonly source: string;

  constructor(source: string) {
    this.source = source;
  }
}

export type Part = string | number | Markup | readonly Markup[];

const ENTITIES: Readonly<Record<string, string>> = {
  '&': '&amp;',
  '<': '&lt;',
  '>': '&gt;',
  '"': '&quot;',
  "'": '&#39;',
};

const escapeHtml = (text: string): string =>
  visible(text).replace(/[&<>"']/g, (character) => ENTITIES[character] ?? '');

function sourceOf(part: Part): string {
  if (part instanceof Markup) return part.source;
  if (typeof part === 'object') return part.map(({ source }) => source).join('');
  return escapeHtml(String(part));
}

/** Tag for templates: what is put in is escaped, as text or as a quoted attribute, unless it is `Markup`. */
export const markup = (strings: TemplateStringsArray, ...parts: readonly Part[]): Markup =>
  new Markup(
    strings.map((text, index) => text + (index < parts.length ? sourceOf(parts[index] ?? '') : '')).join(''),
  );

export const NOTHING = new Markup('');
