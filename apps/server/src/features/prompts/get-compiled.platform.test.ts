import { type MetadataStore, openMetadataStore } from '@candela/metadata-store';
import { silentLogger } from '@candela/kernel';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';
import { type Application, openApplication, publish, publishNext } from './testing/application.ts';

let place: Installation;
let owner: Browser;
let application: Application;
let compiled: Application['compiled'];
/** The same database, as another replica has it open. */
let replica: MetadataStore;

beforeAll(async () => {
  place = await openInstallation({ PLATFORM_ALLOWED_CORS_ORIGINS: 'https://app.example.com' });
  owner = await place.own();
  application = await openApplication(place.platform.http, owner);
  ({ compiled } = application);
  replica = await openMetadataStore({ dataDir: place.dir, logger: silentLogger });
});
afterAll(async () => {
  await replica.close();
  await place.close();
});

describe('fetching a prompt', () => {
  it('gives the fields of the specification in their order, compiled when that is asked for', async () => {
    const { id, name } = await publish(owner, 'major', 'minor');
    const raw = await compiled({ name });
    expect([raw.status, raw.headers.get('content-type'), raw.err]).toEqual([200, 'application/json', null]);
    expect(Object.keys(JSON.parse(raw.text) as object)).toEqual(['err', 'res']);
    expect(Object.keys(raw.res ?? {})).toEqual([
      'promptId',
      'versionId',
      'name',
      'version',
      'tags',
      'metaProperties',
      'prompt',
      'compiledPrompt',
      'missing',
      'unused',
    ]);
    const prompt = 'for {{who}} after a minor change';
    expect(raw.res).toEqual({
      promptId: id,
      versionId: expect.stringMatching(/^[0-9a-f-]{36}$/) as string,
      name,
      version: '1.1.0',
      tags: [],
      metaProperties: {},
      prompt,
      compiledPrompt: prompt,
      missing: [],
      unused: [],
    });
    const made = await compiled({ name, compile: true, variables: { who: 'you', what: 1 } });
    expect(made.res).toMatchObject({
      prompt,
      compiledPrompt: 'for you after a minor change',
      missing: [],
      unused: ['what'],
    });
    expect((await compiled({ name, compile: true })).res).toMatchObject({
      compiledPrompt: prompt,
      missing: ['who'],
    });
  });

  it('reads every spelling that shipped clients use, and passes over what it does not know', async () => {
    const { id, name } = await publish(owner, 'major');
    const variables = { who: 'you' };
    const metaProperties = { applicationName: 'a', environment: 'b' };
    const sent: [object, Record<string, string | undefined>?][] = [
      [{ name, shouldCompile: true, variables, id, metaProperties, source: 'ts-sdk' }],
      [
        { name, promptId: id, shouldCompile: true, variables, source: 'python-sdk' },
        { 'content-type': 'application/json' },
      ],
      [{ prompt_id: id, should_compile: true, variables, meta_properties: metaProperties }],
      [{ promptId: id, compile: true, variables, version: null, source: null, surprise: [1] }],
      [{ promptId: id, id: '', name: null, compile: true, variables, version: '' }],
      [{ name, compile: true, variables }, { 'content-type': undefined }],
      [{ name, compile: true, variables }, { authorization: `bearer ${application.key}` }],
      [{ name, compile: true, variables }, { authorization: `Bearer%20${application.key}` }],
    ];
    for (const [body, headers] of sent)
      expect((await compiled(body, headers)).res, JSON.stringify(body)).toMatchObject({
        compiledPrompt: 'for you',
      });
    expect((await compiled({ name, shouldCompile: false, variables })).res).toMatchObject({
      compiledPrompt: 'for {{who}}',
    });
    const doubled = await compiled({ name }, {}, '//api/prompt/get-compiled');
    expect(doubled.res).toMatchObject({ name });
    const text = '$& {{who}} \\ "\u{1f600}"';
    expect((await compiled({ name, compile: true, variables: { who: text } })).res).toMatchObject({
      compiledPrompt: `for ${text}`,
    });
  });

  it('finds versions as numbers, by range, by label, and never a draft', async () => {
    const { id, name } = await publish(owner, ...Array.from({ length: 10 }, () => 'major' as const), 'minor');
    await owner.call('POST', `/api/prompt/${id}/labels`, { label: 'live', version: '9.0.0' });
    await owner.call('PUT', `/api/prompt/${id}/draft`, { prompt: 'a draft' });
    const versionOf = async (version?: string) => (await compiled({ name, version })).res?.['version'];
    expect(await versionOf()).toBe('10.1.0');
    expect(await versionOf('latest')).toBe('10.1.0');
    expect(await versionOf('9.x')).toBe('9.0.0');
    expect(await versionOf('10.0.x')).toBe('10.0.0');
    expect(await versionOf('live')).toBe('9.0.0');
    expect(await versionOf('2.0.0')).toBe('2.0.0');
    expect((await compiled({ name, version: 'draft' })).err).toMatch(/The label "draft".*not found/);
  });

  it('answers with its version, and with nothing to whoever has it', async () => {
    const { name } = await publish(owner, 'major');
    const ask = (more: object, tag?: string) =>
      compiled({ name, ...more }, tag === undefined ? {} : { 'if-none-match': tag });
    const tagOf = async (more: object) => (await ask(more)).headers.get('etag') ?? '';
    const raw = await tagOf({});
    const you = await tagOf({ compile: true, variables: { who: 'you' } });
    const me = await tagOf({ compile: true, variables: { who: 'me' } });
    expect(new Set([raw, you, me, '']).size).toBe(4);
    expect(await tagOf({ compile: true, variables: { who: 'you' } })).toBe(you);
    const known = await ask({ compile: true, variables: { who: 'you' } }, you);
    expect([known.status, known.text, known.headers.get('etag')]).toEqual([304, '', you]);
    expect((await ask({ compile: true, variables: { who: 'me' } }, you)).status).toBe(200);
  });

  it('is counted by version and client, also when the client has it', async () => {
    const { id, name } = await publish(owner, 'major', 'minor');
    const tag = (await compiled({ name, source: 'ts-sdk' })).headers.get('etag') ?? '';
    await compiled({ name, source: 'ts-sdk' }, { 'if-none-match': tag });
    await compiled({ name, version: '1.0.0' });
    await compiled({ name, version: '7.0.0' });
    const usage = async () =>
      (await owner.call('GET', `/api/prompt/${id}/usage`)).data as {
        total: number;
        rows: { version: string; source: string; count: number }[];
      };
    await expect.poll(async () => (await usage()).total, { timeout: 30_000 }).toBe(3);
    expect((await usage()).rows).toEqual([
      { day: expect.any(String) as string, version: '1.1.0', source: 'ts-sdk', count: 2 },
      { day: expect.any(String) as string, version: '1.0.0', source: 'api', count: 1 },
    ]);
    expect((await owner.call('GET', `/api/prompt/${id}`)).data).toMatchObject({ downloads: 3 });
    expect((await owner.call('GET', `/api/prompt/${id}/usage?from=never`)).status).toBe(400);
  });

  it('is given to pages of allowed origins only, and refused to none', async () => {
    const { name } = await publish(owner, 'major');
    const origin = async (value: string) =>
      (await compiled({ name }, { origin: value })).headers.get('access-control-allow-origin');
    expect(await origin('https://app.example.com')).toBe('https://app.example.com');
    expect(await origin('https://evil.example.com')).toBeNull();
  });
});

describe('a fetch that fails', () => {
  it('says why in its sentence, with status 200 and no result', async () => {
    const { id, name } = await publish(owner, 'major');
    await owner.call('POST', '/api/prompt', { name: 'only-a-draft', prompt: 'x' });
    const million = '{"name":"x","variables":{"a":"'.padEnd(10_000_000, 'x');
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`v${n}`, 'x']));
    const long = { a: 'x'.repeat(131_073) };
    const cases: [string, object | string, RegExp, string][] = [
      ['nothing named', {}, /^Say which prompt: send its "name" or its "promptId"\.$/, 'bad_request'],
      ['no JSON', '{"name":', /^The request body is not a JSON object/, 'body_not_json'],
      ['an empty body', '', /^The request body is not a JSON object/, 'body_not_json'],
      ['a list', '[]', /^The request body is not a JSON object/, 'body_not_json'],
      ['10 MB', million, /^The body is larger than 1048576 bytes/, 'too_large'],
      ['an unknown name', { name: 'nobodys' }, /^The prompt "nobodys" was not found\.$/, 'not_found'],
      ['an unknown id', { id: 'nobodys' }, /^A prompt with the id "nobodys" was not found\.$/, 'not_found'],
      [
        'id and name of two',
        { id, name: 'only-a-draft' },
        /^The prompt "only-a-draft" with that id was/,
        'not_found',
      ],
      ['two ids', { id, promptId: 'other' }, /mean the same and differ/, 'bad_request'],
      ['only a draft', { name: 'only-a-draft' }, /has only a draft\. Publish a version/, 'refused'],
      ['an unknown version', { name, version: '9.9.9' }, /^Version 9\.9\.9 of the prompt/, 'not_found'],
      ['a range with nothing in it', { name, version: '9.x' }, /^A version 9\.x of the prompt/, 'not_found'],
      ['an unknown label', { name, version: 'live' }, /^The label "live" of the prompt/, 'not_found'],
      ['no version at all', { name, version: 'V1!' }, /is no version\. Use an exact one/, 'bad_request'],
      ['a name of another type', { name: 7 }, /"name" in the body/, 'bad_request'],
      ['flags of another type', { name, compile: 'yes' }, /"compile" in the body/, 'bad_request'],
      ['variables of another type', { name, variables: [] }, /"variables" in the body/, 'bad_request'],
      [
        'too many variables',
        { name, compile: true, variables: many },
        /At most 1000 variables/,
        'bad_request',
      ],
      [
        'a value that is too long',
        { name, compile: true, variables: long },
        /"a" is longer than 131072/,
        'refused',
      ],
    ];
    for (const [what, body, sentence, code] of cases) {
      const answer = await compiled(body);
      expect([what, answer.status, answer.res]).toEqual([what, 200, null]);
      expect(answer.err, what).toMatch(sentence);
      expect([what, answer.headers.get('x-platform-error-code')]).toEqual([what, code]);
      expect(Object.keys(JSON.parse(answer.text) as object)).toEqual(['err', 'res']);
    }
  });

  it('does so without a credential, with an unknown one, and with one that may not', async () => {
    const { name } = await publish(owner, 'major');
    const scoped = await owner.call('POST', '/api/api-key', { name: 'another', scopes: ['vault'] });
    for (const [authorization, sentence] of [
      [undefined, /^No API key was sent/],
      ['Bearer', /./],
      [`Bearer pk_unknown0_${'x'.repeat(43)}`, /^The API key is not known or was revoked/],
      [`Bearer ${String(scoped.data.apiKey)}`, /lacks the scope "prompts"/],
    ] as const) {
      const answer = await compiled({ name }, { authorization, 'x-forwarded-for': '203.0.113.1' });
      expect([authorization, answer.status, answer.res]).toEqual([authorization, 200, null]);
      expect(answer.err).toMatch(sentence);
    }
  });

  it('takes a prompt of the largest size with as many placeholders as fit, and what looks back at itself', async () => {
    const most = '{{a}}'.repeat(26_214);
    await owner.call('POST', '/api/prompt', { name: 'bomb', prompt: most, publish: 'major' });
    const expand = (a: string) => compiled({ name: 'bomb', compile: true, variables: { a } });
    expect((await expand('')).res).toMatchObject({ compiledPrompt: '' });
    expect((await expand('{{a}}')).res).toMatchObject({ compiledPrompt: most });
    expect(await expand('x'.repeat(41))).toMatchObject({
      err: expect.stringMatching(/would be longer than 1048576 characters/) as string,
      res: null,
    });
  });
});

describe('what is held in memory', () => {
  it('is right at once after a change here, and soon after one of another replica', async () => {
    const { id, name } = await publish(owner, 'major');
    const versionOf = async (version = 'latest') => (await compiled({ name, version })).res?.['version'];
    expect([await versionOf(), await versionOf('live')]).toEqual(['1.0.0', undefined]);
    await publishNext(owner, id, 'minor');
    await owner.call('POST', `/api/prompt/${id}/labels`, { label: 'live', version: '1.0.0' });
    expect([await versionOf(), await versionOf('live')]).toEqual(['1.1.0', '1.0.0']);

    const here = { projectId: 'default', databaseConfigId: 'embedded' };
    await replica.change(undefined, async ({ prompts }) => {
      const content = { prompt: 'from elsewhere', tags: [], meta: {} };
      const made = await prompts.saveDraft(here, id, { content, revision: undefined, by: null });
      const next = () => ({ major: 5, minor: 0, patch: 0 });
      await prompts.publish(here, id, { next, revision: undefined, by: null });
      await prompts.setLabel(here, id, { label: 'live', versionId: made.draft?.id ?? '', by: null });
    });
    await expect.poll(() => versionOf(), { timeout: 30_000 }).toBe('5.0.0');
    expect(await versionOf('live')).toBe('5.0.0');

    await replica.change(undefined, ({ prompts }) => prompts.delete(here, id));
    await expect.poll(async () => (await compiled({ name })).err, { timeout: 30_000 }).toMatch(/not found/);
    await owner.call('POST', '/api/prompt', { name, prompt: 'anew', publish: 'patch' });
    expect((await compiled({ name })).res).toMatchObject({ prompt: 'anew', version: '0.0.1' });
  });
});
