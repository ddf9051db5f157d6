import { silentLogger } from '@candela/kernel';
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { type MetadataStore, openMetadata } from '../store.ts';
import { codeOf } from './code-of.ts';
import type { Place } from './suite.ts';

const JO = { projectId: 'p', owner: 'user jo' };
const ADA = { projectId: 'p', owner: 'user ada' };
const PLACE = { projectId: 'p', databaseConfigId: 'embedded' };

/** What every dialect keeps of the assistant: conversations, cards, settings, analyses, and sums of usage. */
export function describeChats(name: string, makePlace: () => Promise<Place>): void {
  describe(`chats on ${name}`, () => {
    let place: Place;
    let store: MetadataStore;
    let now = 1_000_000;
    beforeEach(async () => {
      place = await makePlace();
      store = await openMetadata({
        dialect: place.dialect(),
        logger: silentLogger,
        clock: { now: () => (now += 1) },
      });
    });
    afterEach(async () => {
      await store.close();
      await place.dispose();
    });
    const question = {
      role: 'user',
      status: 'done',
      parts: [{ kind: 'text', text: 'q' }],
      facts: {},
    } as const;
    const answer = { role: 'assistant', status: 'running', parts: [], facts: {} } as const;

    it('keeps conversations of their owner alone, in the order of their numbers', async () => {
      const chat = await store.chats.create(JO, 'One', 10);
      await store.chats.append(chat.id, question);
      const running = await store.chats.append(chat.id, answer);
      expect((await store.chats.messages(chat.id)).map(({ seq, role }) => [seq, role])).toEqual([
        [1, 'user'],
        [2, 'assistant'],
      ]);
      for (const owner of [ADA, { ...JO, projectId: 'q' }]) {
        expect(await codeOf(store.chats.get(owner, chat.id))).toBe('not_found');
        expect(await codeOf(store.chats.message(owner, running.id))).toBe('not_found');
        expect(await codeOf(store.chats.delete(owner, chat.id))).toBe('not_found');
        expect(await store.chats.list(owner, { limit: 10 })).toEqual([]);
      }
      expect(await store.chats.write(running.id, { ...answer, status: 'done', parts: [1] })).toBe(true);
      expect(await store.chats.write(running.id, { ...answer, parts: [2] })).toBe(false);
      expect((await store.chats.message(JO, running.id)).parts).toEqual([1]);
      await store.chats.cutFrom(chat.id, 2);
      expect((await store.chats.get(JO, chat.id)).messages).toBe(1);
    });

    it('removes the oldest where there are enough, and lists page by page', async () => {
      for (const title of ['a', 'b', 'c', 'd']) await store.chats.create(JO, title, 3);
      const first = await store.chats.list(JO, { limit: 2 });
      expect(first.map(({ title }) => title)).toEqual(['d', 'c']);
      const [, last] = first;
      if (last === undefined) throw new Error('no page');
      const rest = await store.chats.list(JO, { limit: 2, before: last });
      expect(rest.map(({ title }) => title)).toEqual(['b']);
    });

    it('ends what its process left, and decides a card once', async () => {
      const chat = await store.chats.create(JO, 'One', 10);
      const message = await store.chats.append(chat.id, answer);
      expect(await store.chats.settle(chat.id, message.touchedAt, { err: 'gone' })).toBe(0);
      expect(await store.chats.settle(chat.id, message.touchedAt + 1, { err: 'gone' })).toBe(1);
      expect(await store.chats.message(JO, message.id)).toMatchObject({
        status: 'failed',
        facts: { err: 'gone' },
      });
      const [mine, other] = [
        await store.chats.append(chat.id, { ...answer, facts: { by: 'one' } }),
        await store.chats.append(chat.id, { ...answer, facts: { by: 'two' } }),
      ];
      expect(await store.chats.settleOf('one', { err: 'gone' })).toBe(1);
      expect(await store.chats.settleOf('one', { err: 'gone' })).toBe(0);
      expect((await store.chats.message(JO, mine.id)).status).toBe('failed');
      expect((await store.chats.message(JO, other.id)).status).toBe('running');
      const card = await store.chats.addApproval(JO, {
        chatId: chat.id,
        messageId: message.id,
        callId: 'c',
        tool: 'create',
        input: '{}',
        inputHash: 'h',
        expiresAt: 5,
      });
      expect(await codeOf(store.chats.approval(ADA, card.id))).toBe('not_found');
      const decided = await Promise.all(
        Array.from({ length: 5 }, () => store.chats.decide(card.id, 'approved')),
      );
      expect(decided.filter(Boolean)).toHaveLength(1);
    });

    it('keeps settings of a place and numbers analyses', async () => {
      expect(await store.chatSettings.find(PLACE)).toBeUndefined();
      const settings = {
        modelId: 'm',
        dailyCapUsd: 1.5,
        messageCapUsd: null,
        contextTokens: 9,
        updatedBy: 'jo',
      };
      await store.chatSettings.save(PLACE, settings);
      await store.chatSettings.save(PLACE, { ...settings, modelId: 'n' });
      expect(await store.chatSettings.find(PLACE)).toMatchObject({ modelId: 'n', dailyCapUsd: 1.5 });
      const run = { rootSpanId: 'r', selectedSpanId: 's', scope: 'trace', body: { a: 1 }, createdBy: 'jo' };
      const add = () => store.change(undefined, ({ chatAnalyses }) => chatAnalyses.add('p', run));
      await Promise.all([add(), add(), add()]);
      const found = await store.chatAnalyses.list('p', run);
      expect(found.map(({ runNumber, body }) => [runNumber, body])).toEqual([
        [1, { a: 1 }],
        [2, { a: 1 }],
        [3, { a: 1 }],
      ]);
      expect(await store.chatAnalyses.list('q', run)).toEqual([]);
    });

    it('sums usage by any part', async () => {
      const usage = { input: 3, cacheRead: 2, cacheWrite: 1, output: 5, reasoning: 4 };
      const call = {
        feature: 'chat',
        provider: 'openai',
        model: 'm',
        modelId: null,
        projectId: 'p',
        environment: null,
        principal: 'user jo',
        refId: null,
        usage,
        costUsd: 0.25,
        status: 'ok',
        errorCode: null,
        startedAt: 86_400_000 * 3 + 7,
        durationMs: 1,
      } as const;
      await store.llmUsage.append(call);
      await store.llmUsage.append({ ...call, costUsd: null, startedAt: 86_400_000 * 4 });
      await store.llmUsage.append({ ...call, usage: null, costUsd: null, status: 'failed', model: 'n' });
      await store.llmUsage.append({ ...call, projectId: 'q' });
      const all = { from: 0, to: 1e12, limit: 10 };
      expect(await store.llmUsage.sums('p', { ...all, by: [] })).toEqual([
        {
          feature: null,
          provider: null,
          model: null,
          day: null,
          calls: 3,
          failed: 1,
          input: 6,
          cacheRead: 4,
          cacheWrite: 2,
          output: 10,
          reasoning: 8,
          costUsd: 0.25,
          unpriced: 1,
          unknown: 0,
        },
      ]);
      const ofModel = { ...all, by: [], where: { model: ['n', "' OR 1=1"], provider: ['openai'] } };
      expect((await store.llmUsage.sums('p', ofModel))[0]).toMatchObject({ calls: 1, failed: 1 });
      const ofPlace = { ...all, by: [], where: { environment: ['production'] } };
      expect((await store.llmUsage.sums('p', ofPlace))[0]).toMatchObject({ calls: 0 });
      const days = await store.llmUsage.sums('p', { ...all, by: ['day', 'model'] });
      expect(days.map(({ day, model, calls }) => [day, model, calls]).toSorted()).toEqual([
        [3, 'm', 1],
        [3, 'n', 1],
        [4, 'm', 1],
      ]);
      expect(await store.llmUsage.sums('p', { from: 0, to: 1, by: ['model'], limit: 5 })).toEqual([]);
      expect((await store.llmUsage.sums('p', { from: 0, to: 1, by: [], limit: 5 }))[0]?.calls).toBe(0);
    });
  });
}
