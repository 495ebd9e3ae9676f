/** The seed of all random tests of this run: `SEED=1 npm test` repeats the run that printed it. */
export const seed = Number(process.env['SEED'] ?? Date.now() & 0x7fffffff);

process.stdout.write(`SEED=${seed}\n`);
