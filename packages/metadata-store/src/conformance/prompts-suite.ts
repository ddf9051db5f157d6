import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { codeOf } from './code-of.ts';
import type { PromptContent, Prompts, VersionNumber } from '../repositories/prompts/types.ts';
import { type MetadataStore, openMetadata } from '../store.ts';
import type { Place } from './suite.ts';

const HERE = { projectId: 'p', databaseConfigId: 'embedded' };
const ELSEWHERE = [
  { projectId: 'q', databaseConfigId: 'embedded' },
  { projectId: 'p', databaseConfigId: 'other' },
];
const CONTENT: PromptContent = {
  chat: '{"messages":[{"role":"user","content":"x"}]}',
  prompt: 'Hello {{name}}, "quoted" \\ %_ über 😀\n',
  tags: ['support', 'a "tag"'],
  meta: { owner: 'a', deep: { list: [1, null] } },
};
const major = (newest: VersionNumber | undefined): VersionNumber => ({
  major: (newest?.major ?? 0) + 1,
  minor: 0,
  patch: 0,
});

/** What every dialect keeps of prompts, their versions, labels and downloads. */
export function describePrompts(name: string, makePlace: () => Promise<Place>): void {
  describe(`prompts on ${name}`, () => {
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
        limits: { promptsPerPlace: 4, versionsPerPrompt: 3, labelsPerPrompt: 2 },
      });
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });
    const change = <T>(work: (prompts: Prompts) => Promise<T>): Promise<T> =>
      store.change(undefined, ({ prompts }) => work(prompts));
    const make = (promptName = 'greeting', publishAs?: VersionNumber) =>
      change((prompts) => prompts.create(HERE, { name: promptName, content: CONTENT, by: 'a' }, publishAs));
    const save = (id: string, text: string, revision?: number) =>
      change((prompts) =>
        prompts.saveDraft(HERE, id, { content: { ...CONTENT, prompt: text }, revision, by: 'b' }),
      );
    const publish = (id: string, revision?: number) =>
      change((prompts) => prompts.publish(HERE, id, { next: major, revision, by: 'c' }));

    it('tells names of several, and of which nothing is published', async () => {
      const draft = await make('draft');
      const live = await make('live', { major: 1, minor: 0, patch: 0 });
      const other = { ...HERE, databaseConfigId: 'other' };
      expect(
        (await store.prompts.heads(HERE, [draft.id, live.id, 'none'])).toSorted((a, b) =>
          a.name < b.name ? -1 : 1,
        ),
      ).toEqual([
        { id: draft.id, name: 'draft', published: false },
        { id: live.id, name: 'live', published: true },
      ]);
      expect(await store.prompts.unpublished(HERE)).toEqual(new Set([draft.id]));
      expect(await store.prompts.heads(other, [live.id])).toEqual([]);
      expect(await store.prompts.unpublished(other)).toEqual(new Set());
    });

    it('keeps a draft, publishes it, and never changes it again', async () => {
      const made = await make();
      expect(made).toMatchObject({
        name: 'greeting',
        revision: 1,
        versions: 0,
        latest: null,
        createdBy: 'a',
      });
      expect(made.draft).toMatchObject({ ...CONTENT, number: null, publishedAt: null });
      now += 1_000;
      const first = await publish(made.id);
      expect(first).toMatchObject({ revision: 2, versions: 1, draft: null, updatedAt: now });
      expect(first.latestVersion).toMatchObject({
        ...CONTENT,
        id: made.draft?.id,
        number: { major: 1, minor: 0, patch: 0 },
        publishedAt: now,
        createdBy: 'c',
      });
      const second = await save(made.id, 'another');
      expect(second.draft?.id).not.toBe(made.draft?.id);
      expect(second.latestVersion).toEqual(first.latestVersion);
      expect((await save(made.id, 'yet another')).draft).toMatchObject({
        id: second.draft?.id,
        prompt: 'yet another',
      });
      expect(await store.prompts.version(made.draft?.id ?? '')).toEqual(first.latestVersion);
      expect((await change((prompts) => prompts.discardDraft(HERE, made.id))).draft).toBeNull();
      expect(await codeOf(change((prompts) => prompts.discardDraft(HERE, made.id)))).toBe('not_found');
      expect(await codeOf(publish(made.id))).toBe('conflict');
    });

    it('lets one of two publish, or save, what both have read', async () => {
      const { id } = await make();
      const codes = await Promise.all([codeOf(publish(id, 1)), codeOf(publish(id, 1))]);
      expect(codes.toSorted()).toEqual(['conflict', 'ok']);
      expect(await codeOf(save(id, 'late', 1))).toBe('conflict');
      const saves = await Promise.all([codeOf(save(id, 'one', 2)), codeOf(save(id, 'two', 2))]);
      expect(saves.toSorted()).toEqual(['conflict', 'ok']);
      expect((await store.prompts.get(HERE, id)).versions).toBe(1);
    });

    it('takes a name once a place, also of two at once', async () => {
      const codes = await Promise.all([codeOf(make()), codeOf(make())]);
      expect(codes.toSorted()).toEqual(['conflict', 'ok']);
      for (const other of ELSEWHERE) {
        const made = change((prompts) =>
          prompts.create(other, { name: 'greeting', content: CONTENT, by: null }, undefined),
        );
        expect(await codeOf(made)).toBe('ok');
      }
    });

    it('knows nothing of another place', async () => {
      const { id, latestVersion } = await make('greeting', major(undefined));
      const versionId = latestVersion?.id ?? '';
      const text = JSON.stringify(await store.prompts.get(HERE, id));
      for (const other of ELSEWHERE) {
        const works: ((prompts: Prompts) => Promise<unknown>)[] = [
          (prompts) => prompts.get(other, id),
          (prompts) => prompts.versions(other, id, { limit: 9, after: undefined }),
          (prompts) => prompts.usage(other, id, { from: '0', to: '9', limit: 9 }),
          (prompts) => prompts.saveDraft(other, id, { content: CONTENT, revision: undefined, by: null }),
          (prompts) => prompts.discardDraft(other, id),
          (prompts) => prompts.publish(other, id, { next: major, revision: undefined, by: null }),
          (prompts) => prompts.setLabel(other, id, { label: 'x', versionId, by: null }),
          (prompts) => prompts.removeLabel(other, id, 'x'),
          (prompts) => prompts.delete(other, id),
        ];
        for (const work of works) expect(await codeOf(change(work))).toBe('not_found');
        expect(await store.prompts.index(other, { id })).toBeUndefined();
        expect(await store.prompts.index(other, { name: 'greeting' })).toBeUndefined();
        const all = { search: undefined, tag: undefined, limit: 9, after: undefined };
        expect((await store.prompts.list(other, all)).prompts).toEqual([]);
      }
      expect(JSON.stringify(await store.prompts.get(HERE, id))).toBe(text);
    });

    it('lists by name, finds by a part of it and by tag, page by page', async () => {
      for (const each of ['b_x', 'a', 'bax']) await make(each);
      const list = async (search?: string, tag?: string) => {
        const seen: string[] = [];
        let after: string | undefined;
        do {
          const page = await store.prompts.list(HERE, { search, tag, limit: 2, after });
          seen.push(...page.prompts.map((prompt) => prompt.name));
          after = page.next;
        } while (after !== undefined);
        return seen;
      };
      expect(await list()).toEqual(['a', 'b_x', 'bax']);
      expect(await list('_')).toEqual(['b_x']);
      expect(await list('%')).toEqual([]);
      expect(await list(undefined, 'support')).toEqual(['a', 'b_x', 'bax']);
      expect(await list(undefined, 'tag')).toEqual([]);
    });

    it('finds by the tags of the newest version, and before one by those of the draft', async () => {
      const { id } = await make();
      const found = async (tag: string) =>
        (await store.prompts.list(HERE, { search: undefined, tag, limit: 9, after: undefined })).prompts
          .length;
      const tagged = (tags: string[]) =>
        change((prompts) =>
          prompts.saveDraft(HERE, id, { content: { ...CONTENT, tags }, revision: undefined, by: null }),
        );
      await tagged(['one']);
      expect([await found('support'), await found('one')]).toEqual([0, 1]);
      await publish(id);
      await tagged(['two']);
      expect([await found('one'), await found('two')]).toEqual([1, 0]);
      expect(await publish(id)).toMatchObject({ tags: ['two'] });
      expect([await found('one'), await found('two')]).toEqual([0, 1]);
    });

    it('orders versions as numbers', async () => {
      const { id } = await make('greeting', { major: 9, minor: 0, patch: 0 });
      await save(id, 'ten');
      await publish(id);
      const { versions } = (await store.prompts.index(HERE, { name: 'greeting' })) ?? { versions: [] };
      expect(versions.map((version) => version.major)).toEqual([10, 9]);
      expect((await store.prompts.get(HERE, id)).latest?.number.major).toBe(10);
      const first = await store.prompts.versions(HERE, id, { limit: 1, after: undefined });
      expect(first.versions[0]?.number.major).toBe(10);
      const rest = await store.prompts.versions(HERE, id, { limit: 1, after: first.next });
      expect([rest.versions[0]?.number.major, rest.next]).toEqual([9, undefined]);
    });

    it('moves a label, takes it away, and puts it on published versions of the prompt only', async () => {
      const { id, latestVersion } = await make('greeting', major(undefined));
      const first = latestVersion?.id ?? '';
      const draft = (await save(id, 'two')).draft?.id ?? '';
      const label = (label: string, versionId: string) =>
        change((prompts) => prompts.setLabel(HERE, id, { label, versionId, by: 'd' }));
      expect(await codeOf(label('live', draft))).toBe('not_found');
      await label('live', first);
      await publish(id);
      expect((await label('live', draft)).labels).toMatchObject([
        { label: 'live', versionId: draft, number: { major: 2 }, updatedBy: 'd' },
      ]);
      expect((await store.prompts.index(HERE, { id }))?.labels).toEqual(new Map([['live', draft]]));
      expect(
        (await store.prompts.versions(HERE, id, { limit: 9, after: undefined })).versions.map(
          (v) => v.labels,
        ),
      ).toEqual([['live'], []]);
      expect((await label('live', first)).labels[0]?.versionId).toBe(first);
      await label('other', first);
      expect(await codeOf(label('third', first))).toBe('refused');
      expect(await codeOf(label('other', draft))).toBe('ok');
      expect((await change((prompts) => prompts.removeLabel(HERE, id, 'live'))).labels).toHaveLength(1);
      expect(await codeOf(change((prompts) => prompts.removeLabel(HERE, id, 'live')))).toBe('not_found');
    });

    it('keeps its bounds, and deletes all of a prompt', async () => {
      const { id } = await make();
      expect(await codeOf(change((prompts) => prompts.discardDraft(HERE, id)))).toBe('refused');
      for (let n = 0; n < 3; n++) {
        await save(id, `${n}`);
        await publish(id);
      }
      await save(id, 'one too many');
      expect(await codeOf(publish(id))).toBe('refused');
      for (const each of ['b', 'c', 'd']) await make(each);
      expect(await codeOf(make('e'))).toBe('refused');
      const versionId = (await store.prompts.get(HERE, id)).latest?.id ?? '';
      await change((prompts) => prompts.delete(HERE, id));
      expect(await store.prompts.version(versionId)).toBeUndefined();
      expect(await codeOf(store.prompts.get(HERE, id))).toBe('not_found');
      expect(await codeOf(make('greeting'))).toBe('ok');
    });

    it('goes with its project, and leaves the prompts of another one alone', async () => {
      const project = await store.projects.create('o', 'Going');
      const there = { projectId: project.id, databaseConfigId: 'embedded' };
      const input = { name: 'greeting', content: CONTENT, by: null };
      const gone = await change((prompts) => prompts.create(there, input, major(undefined)));
      const kept = await make('greeting', major(undefined));
      await change(async (prompts) => {
        for (const [at, { id, latest }] of [
          [there, gone],
          [HERE, kept],
        ] as const) {
          const versionId = latest?.id ?? '';
          await prompts.setLabel(at, id, { label: 'live', versionId, by: null });
          const row = { promptId: id, versionId, source: 'a', day: '2026-11-20', count: 1 };
          await prompts.countDownloads({ writer: id, number: 1 }, [row]);
        }
      });
      const before = await store.prompts.get(HERE, kept.id);
      await store.projects.remove('o', project.id);
      expect(await codeOf(store.prompts.get(there, gone.id))).toBe('not_found');
      expect(await store.prompts.version(gone.latest?.id ?? '')).toBeUndefined();
      expect(await store.prompts.get(HERE, kept.id)).toEqual(before);
      expect(before).toMatchObject({ downloads: 1, labels: [{ label: 'live' }] });
    });

    it('counts a batch of downloads once, and forgets old days', async () => {
      const { id, latestVersion } = await make('greeting', major(undefined));
      const row = (day: string, count: number, promptId = id) => ({
        promptId,
        versionId: latestVersion?.id ?? '',
        source: 'ts-sdk',
        day,
        count,
      });
      const count = (number: number, ...rows: ReturnType<typeof row>[]) =>
        change((prompts) => prompts.countDownloads({ writer: 'w', number }, rows));
      await count(1, row('2026-11-19', 2), row('2026-11-20', 3), row('2026-11-20', 9, 'gone'));
      await count(1, row('2026-11-20', 3));
      await count(2, row('2026-11-20', 4));
      const usage = (from: string, to: string) => store.prompts.usage(HERE, id, { from, to, limit: 1 });
      expect(await usage('2026-11-19', '2026-11-20')).toEqual({
        rows: [{ day: '2026-11-20', number: { major: 1, minor: 0, patch: 0 }, source: 'ts-sdk', count: 7 }],
        total: 9,
        truncated: true,
      });
      now = Date.parse('2026-11-20T12:00:00Z');
      expect(await store.prompts.get(HERE, id)).toMatchObject({
        downloads: 9,
        lastDays: [0, 0, 0, 0, 0, 2, 7],
      });
      const listed = { search: undefined, tag: undefined, limit: 9, after: undefined };
      await make('other');
      await change((prompts) =>
        prompts.setLabel(HERE, id, { label: 'live', versionId: latestVersion?.id ?? '', by: 'a' }),
      );
      expect((await store.prompts.list(HERE, listed)).prompts).toMatchObject([
        {
          name: 'greeting',
          lastDays: [0, 0, 0, 0, 0, 2, 7],
          labels: [{ label: 'live', number: latestVersion?.number }],
        },
        { name: 'other', lastDays: [0, 0, 0, 0, 0, 0, 0], labels: [] },
      ]);
      expect(
        (await store.prompts.versions(HERE, id, { limit: 9, after: undefined })).versions[0]?.downloads,
      ).toBe(9);
      await change((prompts) => prompts.pruneDownloads('2026-11-20'));
      expect(await usage('2026-11-01', '2026-11-30')).toMatchObject({ total: 7, truncated: false });
      expect(await usage('2026-10-01', '2026-10-30')).toEqual({ rows: [], total: 0, truncated: false });
    });
  });
}
