// The two compilers, as arguments of Node.js, to be run in the folder of the project.
import { fileURLToPath } from 'node:url';

const bin = (name) => fileURLToPath(new URL(`../node_modules/${name}`, import.meta.url));

export const root = fileURLToPath(new URL('..', import.meta.url));
/** assembly/ to dist/core.wasm */
export const ASC = [
  bin('assemblyscript/bin/asc.js'),
  ...['--target', 'release', '--transform', './scripts/inline.mjs'],
];
/** TypeScript to dist/ */
export const TSC = [bin('typescript/bin/tsc'), '-p', 'tsconfig.json'];
