import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { silentLogger } from '@candela/kernel';
import {
  type MetadataStore,
  openMetadataStore,
  type Repositories,
  type RuleDocument,
} from '@candela/metadata-store';
import fc from 'fast-check';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { createPromptService } from '../prompts/service.ts';
import { entityKinds } from './entities/index.ts';
import { type Page, readPage } from './page.ts';

const dir = mkdtempSync(join(tmpdir(), 'candela-page-'));
let metadata: MetadataStore;
const told: string[] = [];
beforeAll(async () => {
  metadata = await openMetadataStore({ dataDir: dir, logger: silentLogger });
});
afterAll(async () => {
  await metadata.close();
  rmSync(dir, { recursive: true, force: true });
});

const newPlace = () => ({ projectId: crypto.randomUUID(), databaseConfigId: 'embedded' });
type Here = ReturnType<typeof newPlace>;
const read = (here: Here, former?: Page) => {
  const kinds = entityKinds(metadata, createPromptService(metadata));
  return readPage({ metadata, kinds, tell: ({ id }) => told.push(id) }, here, former);
};
const change = <T>(work: (on: Repositories) => Promise<T>) => metadata.change(undefined, work);
const rule = (more: Partial<RuleDocument> = {}): RuleDocument => ({
  name: crypto.randomUUID(),
  description: '',
  definition: {
    groupOperator: 'AND',
    groups: [
      { operator: 'AND', conditions: [{ field: 'a', operator: 'equals', value: 'x', dataType: 'string' }] },
    ],
  },
  status: 'ACTIVE',
  priority: 1,
  links: [{ entityType: 'evaluation', entityId: 'bias' }],
  ...more,
});
const broken = { groupOperator: 'AND', groups: 'none' };
const context = { description: '', content: 'be kind', tags: [], meta: {} };
const by = 'jo';

/** What the page answers, whatever it was made from. */
const shown = ({ rules, links }: Page) => ({
  matching: rules.matching(new Map([['a', 'x']])),
  links: [...links].map(([id, of]) => [id, [...of]]),
});

it('made from a former page says what one says that is read anew, after any change', async () => {
  const number = fc.nat({ max: 3 });
  const steps = fc.array(
    fc.record({
      do: fc.constantFrom('rule', 'broken', 'sleep', 'delete', 'link', 'context', 'lose'),
      n: number,
      m: number,
    }),
    { maxLength: 12 },
  );
  await fc.assert(
    fc.asyncProperty(steps, async (todo) => {
      const here = newPlace();
      const [ruleIds, contextIds]: [string[], string[]] = [[], []];
      for (const n of [0, 1, 2, 3]) {
        const status = n % 2 === 0 ? 'ACTIVE' : 'INACTIVE';
        const made = await change(({ contexts }) =>
          contexts.create(here, { ...context, name: `${n}`, status }, by),
        );
        contextIds.push(made.id);
        const links = [{ entityType: 'context', entityId: made.id }] as const;
        ruleIds.push(
          (await change(({ rules }) => rules.create(here, rule({ links, priority: n % 3 }), by))).id,
        );
      }
      let former = await read(here);
      for (const { do: what, n, m } of todo) {
        const [ruleId = '', contextId = ''] = [ruleIds[n], contextIds[m]];
        const links = [{ entityType: 'context', entityId: contextId }] as const;
        const replace = (more: Partial<RuleDocument>) =>
          change(({ rules }) => rules.replace(here, ruleId, { revision: undefined, rule: rule(more), by }));
        const work = {
          rule: () => replace({ priority: m, links }),
          broken: () => replace({ definition: broken, links }),
          sleep: () => replace({ status: 'INACTIVE', links }),
          delete: () => change(({ rules }) => rules.delete(here, ruleId)),
          link: () =>
            change(({ rules }) =>
              rules.link(here, ruleId, { entityType: 'context', entityId: contextId }, by),
            ),
          context: () =>
            change(async ({ contexts }) => {
              const { name, status } = await contexts.get(here, contextId);
              const next = { ...context, name, status: status === 'ACTIVE' ? 'INACTIVE' : 'ACTIVE' } as const;
              await contexts.replace(here, contextId, { revision: undefined, context: next, by });
            }),
          lose: () => change(({ contexts }) => contexts.delete(here, contextId)),
        }[what];
        // What is gone already stays gone.
        await work().catch(() => undefined);
        // Not after every step: several changes may lie between two readings.
        if (m === 0) continue;
        former = await read(here, former);
        expect(shown(former)).toEqual(shown(await read(here)));
      }
      expect(shown(await read(here, former))).toEqual(shown(await read(here)));
    }),
    { numRuns: 25 },
  );
});

it('takes over what did not change, and is the same page where nothing did', async () => {
  const here = newPlace();
  const stays = await change(({ rules }) => rules.create(here, rule(), by));
  const changes = await change(({ rules }) => rules.create(here, rule(), by));
  const bad = await change(({ rules }) => rules.create(here, rule({ definition: broken }), by));
  told.length = 0;
  const first = await read(here);
  await change(({ rules }) =>
    rules.replace(here, changes.id, { revision: 1, rule: rule({ priority: 0 }), by }),
  );
  const second = await read(here, first);
  expect(second.known.get(stays.id)).toBe(first.known.get(stays.id));
  expect(second.known.get(changes.id)).not.toBe(first.known.get(changes.id));
  expect(shown(second).matching).toEqual([changes.id, stays.id]);
  expect(told).toEqual([bad.id]);
  const content = { prompt: 'Hello', tags: [], meta: {} };
  const prompt = await change(({ prompts }) =>
    prompts.create(here, { name: 'p', content, by }, { major: 1, minor: 0, patch: 0 }),
  );
  await change(({ prompts }) => prompts.saveDraft(here, prompt.id, { content, revision: undefined, by }));
  expect(await read(here, second)).toBe(second);
});
