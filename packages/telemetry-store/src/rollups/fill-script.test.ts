import { describe, expect, it } from 'vitest';
import { TABLES } from '../schema/tables.ts';
import { fillScript } from './fill-script.ts';
import { COMMON_STAGES, rollupsOf } from './index.ts';

const MADE = /^CREATE TEMPORARY TABLE (\w+) ENGINE = Memory AS/;
const FILLED = /^INSERT INTO (\w+) \([^)]*\) SETTINGS insert_deduplication_token = '([^']*)' /;

describe.each(TABLES.map(({ name }) => name))('the rollups of an insert into %s', (table) => {
  const steps = fillScript(table, "it's");

  it('fill each one once, with a token of its own', () => {
    const tokens = fillScript(table, 't').flatMap(({ sql }) => FILLED.exec(sql)?.slice(1) ?? []);
    expect(tokens).toEqual(rollupsOf(table).flatMap(({ name }) => [name, `t:${table}:${name}`]));
  });

  it('make each stage once and before it is read', () => {
    const made = new Set<string>();
    for (const { sql } of steps) {
      const [, stage] = MADE.exec(sql) ?? [];
      if (stage !== undefined) {
        expect(made.has(stage)).toBe(false);
        made.add(stage);
      } else {
        for (const [read] of sql.matchAll(/\bstaged_\w+/g)) expect(made).toContain(read);
      }
    }
    expect(made.has(COMMON_STAGES.get(table)?.name ?? '')).toBe(COMMON_STAGES.has(table));
  });

  it('ask for every condition that a step has, before it', () => {
    const asked = steps.findIndex(({ asks }) => asks === true);
    const conditions = steps[asked]?.sql.match(/\bmax\(/g)?.length ?? 0;
    for (const [at, { when }] of steps.entries()) {
      if (when === undefined) continue;
      expect(at).toBeGreaterThan(asked);
      expect(when).toBeLessThan(conditions);
    }
  });

  it('carry a token with a quote in it', () => {
    for (const { sql } of steps.filter(({ sql: text }) => text.startsWith('INSERT'))) {
      expect(sql).toContain("insert_deduplication_token = 'it\\'s:");
    }
  });
});

it('a table without rollups has nothing to fill', () => {
  expect(fillScript('anything', 't')).toEqual([]);
});
