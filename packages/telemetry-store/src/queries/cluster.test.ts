import { globSync, readFileSync } from 'node:fs';
import { dirname } from 'node:path';
import { fileURLToPath } from 'node:url';
import { expect, it } from 'vitest';

const HERE = dirname(fileURLToPath(import.meta.url));
/** Subqueries in conditions and joins: what a distributed table refuses, or runs on each node. */
const NESTED =
  /(GLOBAL )?(?:NOT )?\bIN \(\s*SELECT|(GLOBAL )?\b(?:(?:ANY|ALL|ASOF|SEMI|ANTI|INNER|LEFT|RIGHT|FULL|CROSS) )+JOIN\b/g;

/** The nested statements of a source that are not run once for the whole cluster. */
function local(source: string): string[] {
  return [...source.matchAll(NESTED)]
    .filter(([, before, beforeJoin]) => (before ?? beforeJoin) === undefined)
    .map(([text]) => text);
}

it('a subquery or join is run once for the whole cluster: distributed tables refuse any other', () => {
  const files = globSync('**/*.ts', { cwd: HERE }).filter((file) => !file.endsWith('.test.ts'));
  const sources = files.map((file) => ({ file, source: readFileSync(`${HERE}/${file}`, 'utf8') }));
  expect(sources.filter(({ source }) => source.search(NESTED) !== -1).length).toBeGreaterThan(3);
  expect(sources.flatMap(({ file, source }) => local(source).map((text) => `${file}: ${text}`))).toEqual([]);
});

it.each([
  ['TraceId IN (SELECT TraceId FROM x)', 1],
  ['TraceId NOT IN (SELECT TraceId FROM x)', 1],
  ['a GLOBAL IN (SELECT 1) AND b GLOBAL NOT IN (SELECT 2)', 0],
  ['x INNER JOIN y', 1],
  ['x GLOBAL INNER JOIN y ARRAY JOIN z', 0],
  ['x ANY INNER JOIN y', 1],
  ['x GLOBAL ANY INNER JOIN y LEFT ARRAY JOIN z', 0],
])('%s', (source, found) => {
  expect(local(source)).toHaveLength(found);
});
