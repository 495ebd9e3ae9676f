const LONGEST_BODY = 16_384;

const quote = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`;

/** The same request for a POSIX shell. A body that is too long, or not text, is only described. */
export function curlCommand(
  method: string,
  url: string,
  headers: Readonly<Record<string, string>>,
  body: Buffer | undefined,
): string {
  const parts = ['curl -sN'];
  if (method !== 'GET') parts.push(`-X ${method}`);
  parts.push(quote(url));
  for (const [name, value] of Object.entries(headers)) {
    if (name !== 'content-length') parts.push(`-H ${quote(`${name}: ${value}`)}`);
  }
  if (body !== undefined) {
    const text = body.toString('utf8');
    const isText = Buffer.from(text, 'utf8').equals(body) && !text.includes('\0');
    parts.push(
      isText && body.length <= LONGEST_BODY
        ? // --data-binary would take a text that begins with @ for the name of a file.
          `--data-raw ${quote(text)}`
        : `--data-binary @- # ${body.length} bytes on standard input`,
    );
  }
  return parts.join(' ');
}
