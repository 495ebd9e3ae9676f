import assert from 'node:assert/strict';
import { readdirSync, readFileSync } from 'node:fs';
import { test } from 'node:test';
import { CATALOGUE } from '../catalogue/catalogue.js';
import { FAULTS, WITHOUT_FAULT } from './faults.js';
import { VARIANTS } from './variants.js';

const musts = CATALOGUE.filter(({ level, untestable }) => level === 'MUST' && untestable === undefined).map(
  ({ id }) => id,
);

test('names of faults and variants are unique', () => {
  const names = [...FAULTS, ...VARIANTS].map(({ name }) => name);
  assert.equal(new Set(names).size, names.length);
});

test('the server has every fault and variant', () => {
  const folder = new URL('./server/', import.meta.url);
  const code = readdirSync(folder)
    .filter((name) => name.endsWith('.js'))
    .map((name) => readFileSync(new URL(name, folder), 'utf8'))
    .join('');
  for (const { name } of [...FAULTS, ...VARIANTS]) assert.ok(code.includes(`'${name}'`), name);
});

test('faults name requirements of the catalogue that fail or warn', () => {
  const levels = new Map(CATALOGUE.map(({ id, level }) => [id, level]));
  for (const { name, requirements } of FAULTS)
    for (const id of requirements)
      assert.ok(levels.get(id) === 'MUST' || levels.get(id) === 'SHOULD', `${name}: ${id}`);
});

test('every MUST is the first that some fault breaks, or it is said why there is none', () => {
  const broken = new Set(FAULTS.map(({ requirements }) => requirements[0] as string));
  for (const id of musts) assert.ok(broken.has(id) !== id in WITHOUT_FAULT, id);
  for (const id of Object.keys(WITHOUT_FAULT)) assert.ok(musts.includes(id), id);
});
