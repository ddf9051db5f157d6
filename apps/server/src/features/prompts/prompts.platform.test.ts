import { PROMPT_ROUTES, type RouteDeclaration } from '@candela/contract';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';
import { type Application, openApplication, publish } from './testing/application.ts';

const PROMPTS = '/api/prompt';

let place: Installation;
let owner: Browser;
let compiled: Application['compiled'];

beforeAll(async () => {
  place = await openInstallation();
  owner = await place.own();
  ({ compiled } = await openApplication(place.platform.http, owner));
});
afterAll(() => place.close());

let names = 0;
const newName = () => `made-${++names}`;

describe('a chat prompt', () => {
  const messages = [
    { role: 'system', content: 'Answer in {{language}}.' },
    { role: 'user', content: '{{ question }}' },
  ];
  const tools = [{ name: 'search', parameters: { type: 'object' } }];

  it('is compiled message by message, beside one text for those who read a text', async () => {
    const name = newName();
    const made = await owner.call('POST', PROMPTS, {
      name,
      messages,
      modelSettings: { model: 'gpt-5.4', temperature: 0.2 },
      tools,
      responseFormat: { type: 'json_schema', name: 'reply', schema: { type: 'object' } },
      publish: 'minor',
    });
    expect(made.data.latest).toMatchObject({ messages, tools, variables: ['language', 'question'] });
    const variables = { language: 'German', question: '{{language}}' };
    const { res } = await compiled({ name, compile: true, variables });
    expect(res).toMatchObject({
      prompt: 'System:\nAnswer in {{language}}.\n\nUser:\n{{ question }}',
      compiledPrompt: 'System:\nAnswer in German.\n\nUser:\n{{language}}',
      messages: [
        { role: 'system', content: 'Answer in German.' },
        { role: 'user', content: '{{language}}' },
      ],
      modelSettings: { model: 'gpt-5.4', temperature: 0.2 },
      tools,
      responseFormat: { type: 'json_schema', name: 'reply' },
    });
    // A draft that names only a text is a plain one; settings and tools stay.
    const draft = await owner.call('PUT', `${PROMPTS}/${made.data.id}/draft`, { prompt: 'Plain' });
    expect(draft.data.draft).toMatchObject({ prompt: 'Plain', tools });
    expect(draft.data.draft.messages).toBeUndefined();
    const both = await owner.call('POST', PROMPTS, { name: newName(), prompt: 'x', messages });
    expect(both).toMatchObject({ status: 400 });
    expect(await owner.call('POST', PROMPTS, { name: newName() })).toMatchObject({ status: 400 });
  });

  it('has a protected label that a key does not move', async () => {
    const made = await owner.call('POST', PROMPTS, { name: newName(), prompt: 'x', publish: 'minor' });
    const path = `${PROMPTS}/${made.data.id}`;
    const label = { label: 'live', version: 'latest' };
    const { apiKey } = (await owner.call('POST', '/api/api-key', { name: 'mover', scopes: ['prompts'] }))
      .data;
    const asKey = (route: string, method: string, body?: unknown) =>
      fetch(`${place.platform.http}${route}`, {
        method,
        headers: { authorization: `Bearer ${String(apiKey)}`, 'content-type': 'application/json' },
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      });
    expect((await asKey(`${path}/labels`, 'POST', label)).status).toBe(200);
    await owner.call('PUT', `${PROMPTS}/protected-labels`, { labels: ['live', 'live'] });
    expect((await owner.call('GET', `${PROMPTS}/protected-labels`)).data).toEqual({ labels: ['live'] });
    const refused = await asKey(`${path}/labels`, 'POST', label);
    expect([refused.status, await refused.text()]).toEqual([403, expect.stringContaining('protected')]);
    expect((await asKey(`${path}/labels/live`, 'DELETE')).status).toBe(403);
    expect((await asKey(path, 'DELETE')).status).toBe(403);
    expect(await owner.call('POST', `${path}/labels`, label)).toMatchObject({ status: 200 });
    await owner.call('PUT', `${PROMPTS}/protected-labels`, { labels: [] });
    expect((await asKey(`${path}/labels/live`, 'DELETE')).status).toBe(200);
  });
});

describe('a prompt', () => {
  it('goes from draft to versions, with labels that move', async () => {
    const name = newName();
    const made = await owner.call('POST', PROMPTS, {
      name,
      prompt: 'Hello {{ who }}',
      tags: ['greeting', 'greeting', ' b '],
      metaProperties: { owner: { team: ['a'] } },
    });
    expect(made.data).toMatchObject({
      name,
      revision: 1,
      hasDraft: true,
      latestVersion: null,
      createdBy: 'owner@example.com',
      tags: ['greeting', 'b'],
      draft: {
        status: 'DRAFT',
        version: null,
        variables: ['who'],
        metaProperties: { owner: { team: ['a'] } },
      },
    });
    const path = `${PROMPTS}/${made.data.id}`;
    const first = await owner.call('POST', `${path}/publish`, { bump: 'minor', revision: 1 });
    expect(first.data).toMatchObject({ latestVersion: '0.1.0', hasDraft: false, versions: 1 });
    await owner.call('POST', `${path}/labels`, { label: 'production', version: 'latest' });
    await owner.call('PUT', `${path}/draft`, { prompt: 'Good day {{ who }}', revision: 2 });
    const second = await owner.call('POST', `${path}/publish`, { bump: 'major' });
    expect(second.data).toMatchObject({
      latestVersion: '1.0.0',
      labels: [{ label: 'production', version: '0.1.0' }],
    });
    // The draft named neither tags nor meta properties: it has those of the version before.
    const { tags, metaProperties } = made.data.draft;
    expect(second.data.latest).toMatchObject({ tags, metaProperties });
    const forward = await owner.call('POST', `${path}/labels`, { label: 'production', version: '1.x' });
    expect(forward.data.labels).toMatchObject([{ version: '1.0.0', updatedBy: 'owner@example.com' }]);
    expect((await compiled({ name, version: 'production' })).res).toMatchObject({ version: '1.0.0' });
    await owner.call('POST', `${path}/labels`, { label: 'production', version: '0.1.0' });
    expect((await compiled({ name, version: 'production' })).res).toMatchObject({
      prompt: 'Hello {{ who }}',
    });
    expect((await owner.call('DELETE', `${path}/labels/production`)).data.labels).toEqual([]);
    const gone = await compiled({ name, version: 'production' });
    expect(gone).toMatchObject({
      status: 200,
      err: `The label "production" of the prompt "${name}" was not found.`,
      res: null,
    });
    const diff = await owner.call('GET', `${path}/diff?from=0.1.0&to=latest`);
    expect(diff.data).toMatchObject({
      from: { version: '0.1.0' },
      to: { version: '1.0.0' },
      blocks: [
        { kind: 'removed', text: 'Hello {{ who }}' },
        {
          kind: 'added',
          text: 'Good day {{ who }}',
          words: expect.arrayContaining([{ kind: 'added', text: 'Good' }]) as unknown,
        },
      ],
    });
    const versions = await owner.call('GET', `${path}/versions?limit=1`);
    expect(versions.data).toMatchObject([{ version: '1.0.0', labels: [] }]);
    const { nextCursor } = JSON.parse(versions.text) as { nextCursor: string };
    const rest = await owner.call('GET', `${path}/versions?limit=1&cursor=${nextCursor}`);
    expect(rest.data).toMatchObject([{ version: '0.1.0' }]);
    expect((await owner.call('GET', `${PROMPTS}?cursor=${nextCursor}`)).status).toBe(400);
    expect((await owner.call('GET', `${path}/versions/0.1.x`)).data).toMatchObject({ version: '0.1.0' });
    expect((await owner.call('GET', `${path}/versions/draft`)).status).toBe(404);
  });

  it('is written over by nobody who did not see what is there', async () => {
    const { id } = await publish(owner, 'major');
    const draft = (revision: number) =>
      owner.call('PUT', `${PROMPTS}/${id}/draft`, { prompt: `of ${revision}`, revision });
    const drafts = await Promise.all([draft(1), draft(1)]);
    expect(drafts.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const again = () => owner.call('POST', `${PROMPTS}/${id}/publish`, { bump: 'minor', revision: 2 });
    const publishes = await Promise.all([again(), again()]);
    expect(publishes.map(({ status }) => status).toSorted()).toEqual([200, 409]);
    const refused = publishes.find(({ status }) => status === 409);
    expect(refused?.text).toMatch(/Somebody changed this prompt meanwhile.*Read it again/);
    expect((await owner.call('GET', `${PROMPTS}/${id}`)).data).toMatchObject({ latestVersion: '1.1.0' });
  });

  it('has a name of its own, also when two are made at once, and a repeated call makes one', async () => {
    const name = newName();
    const make = (headers = {}) => owner.call('POST', PROMPTS, { name, prompt: 'x' }, headers);
    const both = await Promise.all([make(), make()]);
    expect(both.map(({ status }) => status).toSorted()).toEqual([201, 409]);
    const once = { 'idempotency-key': crypto.randomUUID() };
    const again = () => owner.call('POST', PROMPTS, { name: `${name}-2`, prompt: 'x' }, once);
    expect((await again()).data.id).toBe((await again()).data.id);
  });

  it('is found by name and tag, page by page', async () => {
    const tag = crypto.randomUUID();
    for (const end of ['c', 'a', 'b'])
      await owner.call('POST', PROMPTS, { name: `find_${end}`, prompt: 'x', tags: [tag], publish: 'patch' });
    const first = await owner.call('GET', `${PROMPTS}?q=FIND_&limit=2&tag=${tag}`);
    expect((first.data as { name: string }[]).map(({ name }) => name)).toEqual(['find_a', 'find_b']);
    const { nextCursor } = JSON.parse(first.text) as { nextCursor: string };
    const rest = await owner.call('GET', `${PROMPTS}?q=FIND_&limit=2&tag=${tag}&cursor=${nextCursor}`);
    expect(rest.data).toMatchObject([{ name: 'find_c', latestVersion: '0.0.1', versions: 1 }]);
    expect((await owner.call('GET', `${PROMPTS}?q=other&cursor=${nextCursor}`)).status).toBe(400);
  });

  it.each([
    ['a name in capitals', { name: 'Prompt', prompt: 'x' }, /1 to 100 characters of a-z/],
    ['an empty text', { name: 'ok', prompt: '' }, /The prompt is empty/],
    ['a text that is too long', { name: 'ok', prompt: 'ü'.repeat(65_537) }, /at most 131072 bytes/],
    ['a NUL character', { name: 'ok', prompt: 'a\0b' }, /NUL character/],
    ['too many tags', { name: 'ok', prompt: 'x', tags: Array.from({ length: 51 }, String) }, /tags/],
    [
      'a property that is too large',
      { name: 'ok', prompt: 'x', metaProperties: { a: 'x'.repeat(17_000) } },
      /at most 16384 bytes/i,
    ],
    ['a bump that is none', { name: 'ok', prompt: 'x', publish: 'huge' }, /publish/],
    ['a field that nobody knows', { name: 'ok', prompt: 'x', surprise: 1 }, /surprise/],
  ])('is refused with %s', async (_, body, sentence) => {
    const answer = await owner.call('POST', PROMPTS, body);
    expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(sentence)]);
  });

  it('refuses labels that would mean something else', async () => {
    const { id } = await publish(owner, 'major');
    for (const label of ['latest', 'draft', '1.0.0', '1.x', 'Live', ''])
      expect([
        label,
        (await owner.call('POST', `${PROMPTS}/${id}/labels`, { label, version: 'latest' })).status,
      ]).toEqual([label, 400]);
    const absent = await owner.call('POST', `${PROMPTS}/${id}/labels`, { label: 'a', version: '7.0.0' });
    expect([absent.status, absent.code]).toEqual([404, 'not_found']);
  });

  it('is of its project alone: another one does not know its id, nor its name', async () => {
    const { id, name } = await publish(owner, 'major');
    const before = (await owner.call('GET', `${PROMPTS}/${id}`)).text;
    const other = await owner.call('POST', '/api/projects', { name: `other ${name}` });
    const there = { 'x-platform-project-id': String(other.data.id) };
    const bodies: Readonly<Record<string, object>> = {
      savePromptDraft: { prompt: 'taken over' },
      publishPrompt: { bump: 'major' },
      setPromptLabel: { label: 'mine', version: 'latest' },
    };
    const routes = Object.values<RouteDeclaration>(PROMPT_ROUTES).filter(({ path }) => path.includes('{id}'));
    for (const route of routes) {
      const ask = (of: string): Promise<Answer> => {
        const path = route.path.replace('{id}', of).replace('{version}', 'latest').replace('{label}', 'a');
        const query = route.id === 'diffPrompt' ? '?from=latest&to=latest' : '';
        return owner.call(route.method, `${path}${query}`, bodies[route.id], there);
      };
      const [foreign, nobodys] = [await ask(id), await ask(crypto.randomUUID())];
      expect([route.id, foreign.status, foreign.text]).toEqual([route.id, 404, nobodys.text]);
    }
    expect((await owner.call('GET', PROMPTS, undefined, there)).data).toEqual([]);
    const made = await owner.call('POST', PROMPTS, { name, prompt: 'theirs', publish: 'major' }, there);
    expect(made.status).toBe(201);
    const theirs = await owner.call('POST', `${PROMPTS}/get-compiled`, { name }, there);
    expect(JSON.parse(theirs.text)).toMatchObject({ err: null, res: { prompt: 'theirs' } });
    const foreign = await owner.call('POST', `${PROMPTS}/get-compiled`, { promptId: id }, there);
    expect(JSON.parse(foreign.text)).toMatchObject({
      err: expect.stringMatching(/not found/) as string,
      res: null,
    });
    expect((await compiled({ promptId: String(made.data.id) })).res).toBeNull();
    expect((await owner.call('GET', `${PROMPTS}/${id}`)).text).toBe(before);
  });
});
