/** Where the retention policies are kept. */
export interface PolicyStore {
  /** @returns policy ID to `prevent_truncate`. @throws when what is stored is damaged, naming the file. */
  load(): Promise<Map<string, number>>;
  /** Replaces everything that is stored; on stable storage when it resolves. */
  save(policies: ReadonlyMap<string, number>): Promise<void>;
}
