import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import type { ContextDocument } from '../repositories/contexts.ts';
import type { RuleDocument, RulePlace } from '../repositories/rules/types.ts';
import { type MetadataStore, openMetadata } from '../store.ts';
import { codeOf } from './code-of.ts';
import type { Place } from './suite.ts';

const HERE = { projectId: 'p', databaseConfigId: 'embedded' };
const ELSEWHERE = [
  { projectId: 'p', databaseConfigId: 'other' },
  { projectId: 'q', databaseConfigId: 'embedded' },
];

const rule = (name: string, more: Partial<RuleDocument> = {}): RuleDocument => ({
  name,
  description: 'what it is for',
  definition: { groupOperator: 'AND', groups: [] },
  status: 'ACTIVE',
  priority: 100,
  links: [],
  ...more,
});
const context = (name: string, more: Partial<ContextDocument> = {}): ContextDocument => ({
  name,
  description: '',
  content: 'be kind',
  tags: ['tone'],
  meta: { team: 'support' },
  status: 'ACTIVE',
  ...more,
});

/** What every dialect keeps of rules, their links, contexts and their versions. */
export function describeRules(name: string, makePlace: () => Promise<Place>): void {
  describe(`rules and contexts on ${name}`, () => {
    let place: Place;
    let store: MetadataStore;
    let now = 1_000_000;
    beforeEach(async () => {
      now = 1_000_000;
      place = await makePlace();
      store = await openMetadata({
        dialect: place.dialect(),
        logger: silentLogger,
        clock: { now: () => now },
        limits: { rulesPerPlace: 4, contextsPerPlace: 3, versionsPerContext: 2, linksPerRule: 2 },
      });
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });

    it('keeps a rule whole, and knows it in its place only', async () => {
      const links = [
        { entityType: 'prompt', entityId: 'one' },
        { entityType: 'context', entityId: 'two' },
      ] as const;
      const made = await store.rules.create(HERE, rule('Big', { links, priority: -3 }), 'jo@example.com');
      expect(made).toMatchObject({ ...rule('Big'), priority: -3, revision: 1, links: expect.anything() });
      expect(made).toMatchObject({ createdBy: 'jo@example.com', createdAt: now, updatedAt: now });
      expect(made.links.map(({ entityType }) => entityType)).toEqual(['context', 'prompt']);
      expect(await store.rules.get(HERE, made.id)).toEqual(made);
      for (const other of ELSEWHERE) {
        expect(await codeOf(store.rules.get(other, made.id))).toBe('not_found');
        expect(await codeOf(store.rules.delete(other, made.id))).toBe('not_found');
        const change = { revision: 1, rule: rule('Mine'), by: 'x' };
        expect(await codeOf(store.rules.replace(other, made.id, change))).toBe('not_found');
        const all = { search: undefined, status: undefined, limit: 10, after: undefined };
        expect(await store.rules.list(other, all)).toEqual({ rules: [], next: undefined });
        expect(await store.rules.active(other)).toEqual([]);
        expect(await store.rules.linkedTo(other, { entityType: 'context', entityId: 'two' }, 5)).toEqual([]);
      }
    });

    it('takes a name once a place, whatever its case, and as many rules as there may be', async () => {
      const create = (at: typeof HERE, called: string) => codeOf(store.rules.create(at, rule(called), 'x'));
      expect(await create(HERE, 'Big')).toBe('ok');
      expect(await create(HERE, 'BIG')).toBe('conflict');
      for (const other of ELSEWHERE) expect(await create(other, 'Big')).toBe('ok');
      for (const called of ['b', 'c', 'd']) expect(await create(HERE, called)).toBe('ok');
      expect(await create(HERE, 'e')).toBe('refused');
      const names = await Promise.all(
        ['same', 'SAME'].map((called) => create({ ...HERE, projectId: 'r' }, called)),
      );
      expect(names.toSorted()).toEqual(['conflict', 'ok']);
    });

    it('replaces a rule whole, of the revision that was read, once; links that stay keep their maker', async () => {
      const stays = { entityType: 'context', entityId: 'stays' } as const;
      const goes = { entityType: 'context', entityId: 'goes' } as const;
      const comes = { entityType: 'evaluation', entityId: 'bias' } as const;
      const made = await store.rules.create(HERE, rule('a', { links: [stays, goes] }), 'jo');
      now += 5;
      const next = rule('A', { status: 'INACTIVE', definition: { any: [1] }, links: [stays, comes] });
      const save = () =>
        store.change(undefined, ({ rules }) =>
          rules.replace(HERE, made.id, { revision: 1, rule: next, by: 'al' }),
        );
      const changed = await save();
      expect(changed).toMatchObject({ name: 'A', status: 'INACTIVE', definition: { any: [1] }, revision: 2 });
      expect(changed).toMatchObject({ createdBy: 'jo', updatedBy: 'al', updatedAt: now });
      expect(changed.links.map((link) => [link.entityId, link.createdBy])).toEqual([
        ['stays', 'jo'],
        ['bias', 'al'],
      ]);
      expect(await codeOf(save())).toBe('conflict');
      expect(await store.rules.get(HERE, made.id)).toEqual(changed);
    });

    it('replaces whatever is there when no revision is named', async () => {
      const { id } = await store.rules.create(HERE, rule('a'), 'jo');
      for (const revision of [2, 3]) {
        const input = { revision: undefined, rule: rule('a', { priority: revision }), by: 'al' };
        expect(await store.rules.replace(HERE, id, input)).toMatchObject({ revision, priority: revision });
      }
    });

    it('lists by priority and name, page by page, and finds by words and status', async () => {
      for (const [called, priority, status] of [
        ['b', 5, 'ACTIVE'],
        ['a', 5, 'INACTIVE'],
        ['100%_x', -1, 'ACTIVE'],
      ] as const) {
        await store.rules.create(HERE, rule(called, { priority, status }), 'x');
      }
      const seen: string[] = [];
      let after: RulePlace | undefined;
      do {
        const page = await store.rules.list(HERE, { search: undefined, status: undefined, limit: 1, after });
        seen.push(...page.rules.map((found) => found.name));
        after = page.next;
      } while (after !== undefined);
      expect(seen).toEqual(['100%_x', 'a', 'b']);
      const find = async (search: string | undefined, status?: 'ACTIVE') =>
        (await store.rules.list(HERE, { search, status, limit: 9, after: undefined })).rules.map(
          (r) => r.name,
        );
      expect(await find('0%_X')).toEqual(['100%_x']);
      expect(await find('0%x')).toEqual([]);
      expect(await find('WHAT IT')).toEqual(['100%_x', 'a', 'b']);
      expect(await find(undefined, 'ACTIVE')).toEqual(['100%_x', 'b']);
      expect((await store.rules.active(HERE)).map((r) => r.name)).toEqual(['100%_x', 'b']);
    });

    it('lists links, finds rules by what they are linked to, and forgets links with their rule', async () => {
      const links = [{ entityType: 'context', entityId: 'k' } as const];
      const one = await store.rules.create(HERE, rule('z', { links, priority: 1 }), 'x');
      const two = await store.rules.create(HERE, rule('y', { links, priority: 2, status: 'INACTIVE' }), 'x');
      const all = {
        ruleId: undefined,
        entityType: undefined,
        entityId: undefined,
        limit: 1,
        after: undefined,
      };
      const first = await store.rules.links(HERE, all);
      const second = await store.rules.links(HERE, { ...all, after: first.next });
      expect([...first.links, ...second.links].map((link) => link.ruleId).toSorted()).toEqual(
        [one.id, two.id].toSorted(),
      );
      expect(second.next).toBeUndefined();
      const [entity = { entityType: 'context' as const, entityId: '' }] = links;
      expect(await store.rules.linkedTo(HERE, entity, 5)).toEqual([
        { id: one.id, name: 'z', status: 'ACTIVE', priority: 1 },
        { id: two.id, name: 'y', status: 'INACTIVE', priority: 2 },
      ]);
      await store.rules.delete(HERE, one.id);
      expect((await store.rules.links(HERE, { ...all, limit: 9 })).links).toHaveLength(1);
    });

    it('links and unlinks one thing at a time, each a new revision of the rule', async () => {
      const { id } = await store.rules.create(HERE, rule('a'), 'jo');
      const link = { entityType: 'prompt', entityId: 'one' } as const;
      const made = await store.rules.link(HERE, id, link, 'al');
      expect(made).toMatchObject({ ...link, ruleId: id, createdBy: 'al' });
      expect(await store.rules.get(HERE, id)).toMatchObject({ revision: 2, updatedBy: 'al', links: [made] });
      expect(await codeOf(store.rules.link(HERE, id, link, 'al'))).toBe('conflict');
      expect(await codeOf(store.rules.link(HERE, id, { ...link, entityId: 'two' }, 'al'))).toBe('ok');
      expect(await codeOf(store.rules.link(HERE, id, { ...link, entityId: 'three' }, 'al'))).toBe('refused');
      for (const other of ELSEWHERE) {
        expect(await codeOf(store.rules.link(other, id, link, 'x'))).toBe('not_found');
        expect(await codeOf(store.rules.unlink(other, made.id, 'x'))).toBe('not_found');
      }
      expect(await store.rules.unlink(HERE, made.id, 'jo')).toEqual(made);
      expect(await codeOf(store.rules.unlink(HERE, made.id, 'jo'))).toBe('not_found');
      expect(await store.rules.get(HERE, id)).toMatchObject({ revision: 4, links: [{ entityId: 'two' }] });
      expect((await store.rules.active(HERE))[0]).toEqual(await store.rules.get(HERE, id));
    });

    it('keeps contexts with numbered versions of their content, the newest ones', async () => {
      const made = await store.contexts.create(HERE, context('Tone'), 'jo');
      expect(made).toMatchObject({ ...context('Tone'), version: 1, revision: 1, createdBy: 'jo' });
      const save = (revision: number, more: Partial<ContextDocument>) =>
        store.contexts.replace(HERE, made.id, { revision, context: context('Tone', more), by: 'al' });
      // A name or a status is no new content.
      expect(await save(1, { status: 'INACTIVE' })).toMatchObject({ version: 1, revision: 2 });
      expect(await save(2, { content: 'two' })).toMatchObject({ version: 2, revision: 3, updatedBy: 'al' });
      expect(await codeOf(save(2, { content: 'late' }))).toBe('conflict');
      expect(await save(3, { content: 'two', tags: [] })).toMatchObject({ version: 3, tags: [] });
      const newest = await store.contexts.versions(HERE, made.id, { limit: 1, before: undefined });
      expect(newest).toMatchObject({
        versions: [{ version: 3, preview: 'two', length: 3, createdBy: 'al' }],
        next: 3,
      });
      const older = await store.contexts.versions(HERE, made.id, { limit: 5, before: 3 });
      expect(older.versions.map(({ version }) => version)).toEqual([2]);
      expect(await store.contexts.version(HERE, made.id, 2)).toMatchObject({
        content: 'two',
        tags: ['tone'],
      });
      expect(await codeOf(store.contexts.version(HERE, made.id, 1))).toBe('not_found');
      for (const other of ELSEWHERE) {
        expect(await codeOf(store.contexts.get(other, made.id))).toBe('not_found');
        expect(await codeOf(store.contexts.version(other, made.id, 2))).toBe('not_found');
        expect(await codeOf(store.contexts.versions(other, made.id, { limit: 1, before: undefined }))).toBe(
          'not_found',
        );
        expect(await codeOf(store.contexts.delete(other, made.id))).toBe('not_found');
        expect(await store.contexts.byIds(other, [made.id])).toEqual([]);
        expect(await store.contexts.sizeOf(other, [made.id])).toBe(0);
      }
      expect(await store.contexts.sizeOf(HERE, [made.id, 'none'])).toBe(3);
      expect(await store.contexts.heads(HERE, [made.id, 'none'])).toEqual([
        { id: made.id, name: 'Tone', status: 'ACTIVE' },
      ]);
      await store.contexts.delete(HERE, made.id);
      expect(await codeOf(store.contexts.version(HERE, made.id, 2))).toBe('not_found');
    });

    it('lists contexts by name with the beginning of their content, and takes names once', async () => {
      const create = (called: string, more: Partial<ContextDocument> = {}) =>
        store.contexts.create(HERE, context(called, more), 'x');
      await create('b', { content: 'x'.repeat(500), tags: ['Legal'] });
      expect(await codeOf(create('B'))).toBe('conflict');
      const { id } = await create('a', { status: 'INACTIVE' });
      const all = { search: undefined, status: undefined, limit: 1, after: undefined };
      const first = await store.contexts.list(HERE, all);
      expect(first.contexts).toMatchObject([{ id, name: 'a', preview: 'be kind', length: 7 }]);
      expect(await store.contexts.inactive(HERE)).toEqual(new Set([id]));
      const second = await store.contexts.list(HERE, { ...all, after: first.next });
      expect(second).toMatchObject({ contexts: [{ name: 'b', length: 500 }], next: undefined });
      expect(second.contexts[0]?.preview).toHaveLength(240);
      const found = await store.contexts.list(HERE, { ...all, search: 'LEGAL' });
      expect(found.contexts.map((one) => one.name)).toEqual(['b']);
      await create('c');
      expect(await codeOf(create('d'))).toBe('refused');
    });

    it('tells revisions of active rules, and single ones of them, for who has read the others', async () => {
      const links = [{ entityType: 'evaluation', entityId: 'bias' }] as const;
      const create = (called: string, more: Partial<RuleDocument> = {}) =>
        store.rules.create(HERE, rule(called, more), 'x');
      const late = await create('a', { priority: 9 });
      const first = await create('b', { priority: 1, links });
      const asleep = await create('c', { status: 'INACTIVE' });
      const linked = await store.rules.link(HERE, late.id, { entityType: 'context', entityId: 'd' }, 'x');
      expect(await store.rules.activeHeads(HERE)).toEqual([
        { id: first.id, revision: 1 },
        { id: late.id, revision: 2 },
      ]);
      expect(await store.rules.active(HERE, [asleep.id, first.id, 'none'])).toEqual([first]);
      expect(await store.rules.active(HERE, [late.id])).toMatchObject([{ revision: 2, links: [linked] }]);
      expect(await store.rules.active(HERE, [])).toEqual([]);
      for (const other of ELSEWHERE) {
        expect(await store.rules.activeHeads(other)).toEqual([]);
        expect(await store.rules.active(other, [first.id])).toEqual([]);
      }
    });

    it('leaves nothing of a project that is deleted', async () => {
      const shop = await store.projects.create('default', 'Shop');
      const at = { projectId: shop.id, databaseConfigId: 'embedded' };
      const { id } = await store.contexts.create(at, context('a'), 'x');
      await store.rules.create(at, rule('a', { links: [{ entityType: 'context', entityId: id }] }), 'x');
      await store.change(undefined, ({ projects }) => projects.remove('default', shop.id));
      const all = {
        ruleId: undefined,
        entityType: undefined,
        entityId: undefined,
        limit: 9,
        after: undefined,
      };
      expect(await store.rules.active(at)).toEqual([]);
      expect((await store.rules.links(at, all)).links).toEqual([]);
      expect(await codeOf(store.contexts.get(at, id))).toBe('not_found');
    });
  });
}
