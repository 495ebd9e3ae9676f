import type { Behaviour } from './behaviour.js';

/** A string with one character (U+0000 to U+00FF) per byte: such strings compare and hash as their bytes do. */
export type Bytes = string;

const STANDARD = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/]{2}==|[A-Za-z0-9+/]{3}=)?$/;

export const encodeBase64 = (bytes: Bytes): string => Buffer.from(bytes, 'latin1').toString('base64');

const decodeLeniently = (text: string): Bytes => Buffer.from(text, 'base64').toString('latin1');

function decodeStandard(text: string): Bytes | undefined {
  if (!STANDARD.test(text)) return undefined;
  const bytes = decodeLeniently(text);
  // Bits of the last character that stand for nothing have to be zero.
  return encodeBase64(bytes) === text ? bytes : undefined;
}

export type Base64Decoder = (text: string) => Bytes | undefined;

/** Decodes standard base64 with padding; undefined for any other text. */
export function base64Decoder(behaviour: Behaviour): Base64Decoder {
  return behaviour.pick<Base64Decoder>(decodeStandard, {
    'lenient-fields': (text) => (STANDARD.test(text) ? decodeLeniently(text) : undefined),
    'base64-decoded-leniently': decodeLeniently,
    'base64url-accepted': (text) => decodeStandard(text.replaceAll('-', '+').replaceAll('_', '/')),
    'base64-padding-optional': (text) => decodeStandard(text.padEnd(Math.ceil(text.length / 4) * 4, '=')),
    'base64-white-space-skipped': (text) => decodeStandard(text.replace(/\s/g, '')),
    'base64-excess-padding-accepted': (text) =>
      decodeStandard(text.replace(/=+$/, '').padEnd(Math.ceil(text.replace(/=+$/, '').length / 4) * 4, '=')),
  });
}

const throughUtf8 = (bytes: Bytes): Bytes =>
  Buffer.from(Buffer.from(bytes, 'latin1').toString('utf8'), 'utf8').toString('latin1');

export type Base64Encoder = (bytes: Bytes) => string;

/** How keys and values are written into events. */
export function eventBase64Encoder(behaviour: Behaviour): Base64Encoder {
  return behaviour.pick<Base64Encoder>(encodeBase64, {
    'events-in-base64url': (bytes) => encodeBase64(bytes).replaceAll('+', '-').replaceAll('/', '_'),
    'events-in-base64-without-padding': (bytes) => encodeBase64(bytes).replaceAll('=', ''),
    'events-in-base64-of-mime-lines': (bytes) => encodeBase64(bytes).replace(/.{76}(?=.)/g, '$&\r\n'),
    'events-through-utf8': (bytes) => encodeBase64(throughUtf8(bytes)),
  });
}
