import assert from 'node:assert/strict';
import { readFileSync } from 'node:fs';
import { test } from 'node:test';
import { renderCataloguePage } from '../report/catalogue-page.js';
import { TESTS } from '../tests/all.js';
import { CATALOGUE } from './catalogue.js';
import { compareSections, SECTIONS } from './sections.js';

test('every ID is unique and spelt alike', () => {
  const ids = CATALOGUE.map(({ id }) => id);
  assert.deepEqual(ids, [...new Set(ids)]);
  for (const id of ids) assert.match(id, /^[A-Z0-9]+(-[A-Z0-9]+)*$/);
});

test('every requirement names a section of the specification, in order', () => {
  const sections = CATALOGUE.map(({ section }) => section);
  const known = Object.keys(SECTIONS);
  assert.deepEqual(
    sections.filter((section) => !known.includes(section)),
    [],
  );
  assert.deepEqual(sections, sections.toSorted(compareSections));
});

test('every requirement is covered by a test, or says why it cannot be', () => {
  const covered = new Set(TESTS.flatMap(({ requirements }) => requirements));
  const uncovered = CATALOGUE.filter(({ id, untestable }) => untestable === undefined && !covered.has(id));
  assert.deepEqual(
    uncovered.map(({ id }) => id),
    [],
  );
});

test('no test covers what is said to be untestable', () => {
  const covered = new Set(TESTS.flatMap(({ requirements }) => requirements));
  const both = CATALOGUE.filter(({ id, untestable }) => untestable !== undefined && covered.has(id));
  assert.deepEqual(both, []);
});

test('every test names requirements of the catalogue, and no two tests share a name', () => {
  const ids = new Set(CATALOGUE.map(({ id }) => id));
  for (const { name, requirements } of TESTS) {
    assert.match(name, /^[a-z0-9]+(-[a-z0-9]+)*(\/[a-z0-9]+(-[a-z0-9]+)*)+$/, name);
    assert.deepEqual(
      requirements.filter((id) => !ids.has(id)),
      [],
      name,
    );
  }
  const names = TESTS.map(({ name }) => name);
  assert.deepEqual(
    names.filter((name, index) => names.indexOf(name) !== index),
    [],
  );
});

test('docs/conformance.md is what the catalogue makes', () => {
  const written = readFileSync(new URL('../../../docs/conformance.md', import.meta.url), 'utf8');
  assert.equal(written, renderCataloguePage(TESTS), 'run npm run docs:conformance');
});
