/** Holds what the writers were told against what the reader saw; the contradictions in words. */
export function contradictions(
  committed: ReadonlyMap<number, string>,
  notCommitted: ReadonlySet<string>,
  seen: ReadonlyMap<number, string>,
): string[] {
  const found: string[] = [];
  for (const [version, requestId] of committed) {
    const other = seen.get(version);
    if (other !== requestId)
      found.push(`${requestId} was committed at ${version}, where the stream has ${other}`);
  }
  for (const [version, requestId] of seen) {
    if (notCommitted.has(requestId))
      found.push(`${requestId} was not committed, but the stream has it at ${version}`);
    else if (!committed.has(version))
      found.push(`nobody was told of version ${version}, which the stream has`);
  }
  return found;
}
