import { silentLogger } from '@candela/kernel';
import { expect, it } from 'vitest';
import type { WrittenTo } from '../dialects/dialect.ts';
import type { Repositories } from '../repositories/index.ts';
import { openMetadata } from '../store.ts';
import type { Place } from './suite.ts';

const HERE = { projectId: 'p', databaseConfigId: 'embedded' };
const RULE = {
  name: 'a',
  description: '',
  definition: {},
  status: 'ACTIVE',
  priority: 1,
  links: [{ entityType: 'prompt', entityId: 'x' }],
} as const;
const CONTEXT = {
  name: 'a',
  description: '',
  content: 'be kind',
  tags: [],
  meta: {},
  status: 'ACTIVE',
} as const;
const PROMPT = { prompt: 'Hello', tags: ['a'], meta: {} };
const by = 'jo';

/** Every way to write what rules hang on, each with the id that the one before gave. */
const WRITES: readonly (readonly [
  string,
  (on: Repositories, id: string) => Promise<{ id: string } | void>,
])[] = [
  ['a rule', ({ rules }) => rules.create(HERE, RULE, by)],
  [
    'its priority',
    ({ rules }, id) => rules.replace(HERE, id, { revision: 1, rule: { ...RULE, priority: 2 }, by }),
  ],
  [
    'its links',
    ({ rules }, id) => rules.replace(HERE, id, { revision: 2, rule: { ...RULE, links: [] }, by }),
  ],
  ['a link', ({ rules }, id) => rules.link(HERE, id, { entityType: 'context', entityId: 'c' }, by)],
  ['no link', async ({ rules }, id) => void (await rules.unlink(HERE, id, by))],
  ['another rule', ({ rules }) => rules.create(HERE, { ...RULE, name: 'b' }, by)],
  ['no rule', ({ rules }, id) => rules.delete(HERE, id)],
  ['a context', ({ contexts }) => contexts.create(HERE, CONTEXT, by)],
  [
    'its text',
    ({ contexts }, id) =>
      contexts.replace(HERE, id, { revision: 1, context: { ...CONTEXT, content: 'be brief' }, by }),
  ],
  ['no context', ({ contexts }, id) => contexts.delete(HERE, id)],
  ['a prompt', ({ prompts }) => prompts.create(HERE, { name: 'a', content: PROMPT, by }, undefined)],
  [
    'its version',
    ({ prompts }, id) =>
      prompts.publish(HERE, id, { next: () => ({ major: 1, minor: 0, patch: 0 }), revision: 1, by }),
  ],
  ['its draft', ({ prompts }, id) => prompts.saveDraft(HERE, id, { content: PROMPT, revision: 2, by })],
  ['its draft again', ({ prompts }, id) => prompts.saveDraft(HERE, id, { content: PROMPT, revision: 3, by })],
  ['no draft', ({ prompts }, id) => prompts.discardDraft(HERE, id)],
  [
    'a label',
    async ({ prompts }, id) => {
      const { latestVersion } = await prompts.get(HERE, id);
      return prompts.setLabel(HERE, id, { label: 'live', versionId: latestVersion?.id ?? '', by });
    },
  ],
  ['no label', ({ prompts }, id) => prompts.removeLabel(HERE, id, 'live')],
  ['no prompt', ({ prompts }, id) => prompts.delete(HERE, id)],
];

/** What every dialect tells of where something was written. */
export function describeChanges(name: string, makePlace: () => Promise<Place>): void {
  it(`changes on ${name} tell caches the place that was written, and no place where it may be any`, async () => {
    const place = await makePlace();
    const store = await openMetadata({ dialect: place.dialect(), logger: silentLogger });
    try {
      const told: WrittenTo['places'][] = [];
      store.changes.on(['rules', 'rule_links', 'contexts', 'prompts'], (places) => told.push(places));
      let id = '';
      for (const [what, write] of WRITES) {
        told.length = 0;
        const made = await store.change(undefined, (on) => write(on, id));
        // What watches other processes may ask to look everywhere at any time.
        expect(
          told.filter((places) => places !== 'everywhere'),
          what,
        ).toEqual([[HERE]]);
        if (made !== undefined) id = made.id;
      }
      const there = { projectId: 'q', databaseConfigId: 'other one' };
      told.length = 0;
      await store.change(undefined, async ({ rules }) => {
        await rules.create(HERE, { ...RULE, name: 'in two places' }, by);
        await rules.create(there, RULE, by);
      });
      expect(told).toContainEqual([HERE, there]);
      const shop = await store.projects.create('default', 'Shop');
      told.length = 0;
      await store.change(undefined, async (on) => {
        await on.rules.create(HERE, { ...RULE, name: 'c' }, by);
        await on.projects.remove('default', shop.id);
      });
      expect(new Set(told)).toEqual(new Set(['everywhere']));
    } finally {
      await store.close();
      await place.dispose();
    }
  });
}
