const CANONICAL = /^(?:[A-Za-z0-9+/]{4})*(?:[A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?$/;

/**
 * Decodes standard base64 (RFC 4648 section 4) in its one canonical form: that alphabet, padding, no white space, and
 * zero trailing bits, so that two texts never mean the same bytes.
 *
 * @returns undefined when the text is anything else.
 */
export function decodeCanonicalBase64(text: string): Uint8Array | undefined {
  const bytes = Buffer.from(text, 'base64');
  // Encoding again is much faster than the expression for long texts, and as strict.
  const canonical = text.length > 64 ? bytes.toString('base64') === text : CANONICAL.test(text);
  return canonical ? bytes : undefined;
}
