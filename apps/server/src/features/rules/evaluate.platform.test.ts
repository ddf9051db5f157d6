import { silentLogger } from '@candela/kernel';
import { openMetadataStore } from '@candela/metadata-store';
import { afterAll, beforeAll, describe, expect, it, vi } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';
import { callWith, makeKey } from './testing/application.ts';

let place: Installation;
let owner: Browser;
let key: string;
beforeAll(async () => {
  place = await openInstallation();
  owner = await place.own();
  key = await makeKey(owner, ['rule_engine']);
});
afterAll(async () => {
  await place.close();
});

const evaluate = (body: object | string, more: { key?: string; headers?: Record<string, string> } = {}) =>
  callWith(place.platform.http, more.key ?? key, {
    path: '/api/rule-engine/evaluate',
    body,
    ...(more.headers === undefined ? {} : { headers: more.headers }),
  });

async function make(path: string, body: object, headers: Record<string, string> = {}): Promise<string> {
  const made = await owner.call('POST', path, body, headers);
  expect([made.status, made.text]).toEqual([201, expect.any(String)]);
  return String(made.data.id);
}
const makeContext = (more: object = {}, headers: Record<string, string> = {}) =>
  make('/api/context', { name: crypto.randomUUID(), content: 'be kind', ...more }, headers);
/** A rule on one field of its own, so that tests do not meet each other's. */
const makeRule = (field: string, links: object[], more: object = {}, headers: Record<string, string> = {}) =>
  make(
    '/api/rule-engine/rules',
    {
      name: crypto.randomUUID(),
      groups: [{ conditions: [{ field, operator: 'equals', value: 'yes' }] }],
      links,
      ...more,
    },
    headers,
  );
const context = (entityId: string) => ({ entityType: 'context', entityId });
const soon = (what: () => Promise<unknown>) => expect.poll(what, { timeout: 30_000, interval: 50 });

describe('an evaluation', () => {
  it('tells matching rules by priority then id, and what they are linked to, in bare snake_case', async () => {
    const text = await makeContext();
    const late = await makeRule('order', [context(text)], { priority: 7 });
    const same = [
      await makeRule('order', [context(text)], { priority: 3 }),
      await makeRule('order', [{ entity_type: 'context', entity_id: text }], { priority: 3 }),
    ].toSorted();
    await makeRule('order', [{ entityType: 'evaluation', entityId: 'bias' }]);
    await makeRule('order', []);
    await makeRule('order', [context(text)], { status: 'INACTIVE' });
    await makeRule('other', [context(text)]);
    const { status, body } = await evaluate({
      entity_type: 'context',
      fields: { order: 'yes', unknown: 1 },
      source: 'ts-sdk',
      metaProperties: { applicationName: 'x' },
      more: [1],
    });
    expect(status).toBe(200);
    expect(body).toEqual({
      matchingRuleIds: [...same, late],
      entities: [...same, late].map((id) => ({ rule_id: id, entity_type: 'context', entity_id: text })),
    });
    const evaluations = await evaluate({
      entity_type: 'evaluation',
      fields: { order: 'yes' },
      include_entity_data: true,
    });
    expect(evaluations.body).toMatchObject({ entities: [{ entity_id: 'bias' }], entity_data: {} });
  });

  it('gives the records of contexts when that is asked with true and nothing else', async () => {
    const id = await makeContext({
      description: 'for replies',
      tags: 'a, b',
      meta_properties: { team: 'x', n: [1] },
    });
    await makeRule('record', [context(id)]);
    const ask = (include: unknown) =>
      evaluate({ entity_type: 'context', fields: { record: 'yes' }, include_entity_data: include });
    expect((await ask(true)).body.entity_data).toEqual({
      [`context:${id}`]: {
        id,
        name: expect.any(String) as string,
        description: 'for replies',
        content: 'be kind',
        tags: ['a', 'b'],
        meta_properties: { team: 'x', n: [1] },
        status: 'ACTIVE',
        created_by: 'owner@example.com',
        created_at: expect.stringMatching(/^\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d\.\d{3}Z$/) as string,
        updated_at: expect.stringMatching(/Z$/) as string,
      },
    });
    for (const include of ['true', 1, null, undefined]) {
      expect((await ask(include)).body).not.toHaveProperty('entity_data');
    }
  });

  it('passes over an inactive context, and tells null for one that was deleted', async () => {
    const [gone, asleep] = [await makeContext(), await makeContext({ status: 'INACTIVE' })];
    const rule = await makeRule('vanish', [context(gone), context(asleep)]);
    const onlyAsleep = await makeRule('vanish', [context(asleep)]);
    expect((await owner.call('DELETE', `/api/context/${gone}`)).status).toBe(200);
    const body = { entity_type: 'context', fields: { vanish: 'yes' }, include_entity_data: true };
    expect((await evaluate(body)).body).toEqual({
      matchingRuleIds: [rule],
      entities: [{ rule_id: rule, entity_type: 'context', entity_id: gone }],
      entity_data: { [`context:${gone}`]: null },
    });
    // The rule can still be changed, and wakes up with its context.
    const { data } = await owner.call('GET', `/api/rule-engine/rules/${rule}`);
    expect(data.links).toMatchObject([
      { entityId: expect.any(String) as string, state: expect.stringMatching(/vanished|inactive/) as string },
      { state: expect.stringMatching(/vanished|inactive/) as string },
    ]);
    const put = await owner.call('PUT', `/api/rule-engine/rules/${rule}`, {
      name: data.name,
      groups: data.groups,
      links: data.links.map(({ entityType, entityId }: Record<string, string>) => ({ entityType, entityId })),
      revision: data.revision,
    });
    expect([put.status, put.text]).toEqual([200, expect.any(String)]);
    const read = await owner.call('GET', `/api/context/${asleep}`);
    expect(read.data.usedBy.map(({ id }: { id: string }) => id).toSorted()).toEqual(
      [rule, onlyAsleep].toSorted(),
    );
    const { name, content, revision } = read.data;
    await owner.call('PUT', `/api/context/${asleep}`, { name, content, revision, status: 'ACTIVE' });
    expect((await evaluate(body)).body.matchingRuleIds.toSorted()).toEqual([rule, onlyAsleep].toSorted());
  });

  it('compiles prompts unless that is turned off; one with only a draft does not count', async () => {
    const prompt = await make('/api/prompt', {
      name: `p-${crypto.randomUUID()}`,
      prompt: 'Hello {{name}}',
      publish: 'major',
    });
    const draft = await make('/api/prompt', { name: `d-${crypto.randomUUID()}`, prompt: 'Hello' });
    await makeRule(
      'prompted',
      [prompt, draft].map((entityId) => ({ entityType: 'prompt', entityId })),
    );
    const ask = async (inputs: object) => {
      const told = await evaluate({
        entity_type: 'prompt',
        fields: { prompted: 'yes' },
        include_entity_data: true,
        entity_inputs: inputs,
      });
      return told.body;
    };
    const variables = { name: '$& {{name}}' };
    const compiled = await ask({ variables });
    expect(compiled.entities.map((entity: { entity_id: string }) => entity.entity_id)).toEqual([prompt]);
    expect(compiled.entity_data).toEqual({
      [`prompt:${prompt}`]: expect.objectContaining({
        id: prompt,
        promptId: prompt,
        version: '1.0.0',
        prompt: 'Hello {{name}}',
        compiledPrompt: 'Hello $& {{name}}',
        content: 'Hello $& {{name}}',
        status: 'ACTIVE',
        tags: [],
        meta_properties: {},
      }) as object,
    });
    const raw = await ask({ variables, shouldCompile: false });
    expect(raw.entity_data[`prompt:${prompt}`].compiledPrompt).toBe('Hello {{name}}');
    expect((await ask({ variables, version: '9.0.0' })).entity_data).toEqual({ [`prompt:${prompt}`]: null });
    const many = Object.fromEntries(Array.from({ length: 1_001 }, (_, n) => [`v${n}`, 'x']));
    expect((await ask({ variables: many })).err).toMatch(/variables/);
    expect((await owner.call('DELETE', `/api/prompt/${prompt}`)).status).toBe(200);
    expect((await ask({})).entity_data).toEqual({ [`prompt:${prompt}`]: null });
  });

  it('says what is wrong, one thing after another, in `err` and nothing else', async () => {
    const fields = { a: 'b' };
    const type = /^entity_type is required and must be one of context, prompt, evaluation\.$/;
    const cases: readonly (readonly [object | string, RegExp])[] = [
      ['', /not a JSON object/],
      ['{', /not a JSON object/],
      ['[]', /not a JSON object/],
      ['{"entity_type":"context","fields":{"a":', /not a JSON object/],
      [{}, type],
      [{ entity_type: 'alert', fields }, type],
      [{ entity_type: ['context'], fields: 'no' }, type],
      [{ entity_type: 'context' }, /^fields is required/],
      [{ entity_type: 'context', fields: ['a'] }, /^fields is required/],
      [{ entity_type: 'context', fields: {} }, /Send at least one/],
      [{ entity_type: 'context', fields: { a: null } }, /Send at least one/],
      [
        {
          entity_type: 'context',
          fields: Object.fromEntries(Array.from({ length: 51 }, (_, n) => [`f${n}`, n])),
        },
        /^fields holds 51 names; at most 50/,
      ],
      [{ entity_type: 'context', fields: { ['k'.repeat(101)]: 1 } }, /1 to 100 characters; "k{40}…" has 101/],
      [{ entity_type: 'context', fields: { ' ': 1 } }, /1 to 100 characters/],
      [
        { entity_type: 'context', fields: { a: 1, long: 'x'.repeat(1_001) } },
        /field "long" has 1001 characters/,
      ],
      [{ entity_type: 'context', fields: { list: [1] } }, /field "list" is a list/],
      [{ entity_type: 'context', fields: { nested: {} } }, /field "nested" is an object/],
      ['{"entity_type":"context","fields":{"big":1e999}}', /field "big" is too large a number/],
    ];
    for (const [body, sentence] of cases) {
      const told = await evaluate(body);
      expect([JSON.stringify(body).slice(0, 80), told.status]).toEqual([
        JSON.stringify(body).slice(0, 80),
        400,
      ]);
      expect(Object.keys(told.body as object)).toEqual(['err']);
      expect(told.body.err).toMatch(sentence);
    }
    const bomb = await evaluate(`{"entity_type":"context","fields":{"a":"${'x'.repeat(10_485_760)}"}}`).catch(
      () => undefined,
    );
    // Where the rest is still being sent when the answer comes, a client may see its connection end instead.
    if (bomb !== undefined) expect([bomb.status, Object.keys(bomb.body as object)]).toEqual([413, ['err']]);
    const limits = { [' '.repeat(9) + 'k'.repeat(100)]: 'x'.repeat(1_000), __proto__x: true, zero: -0 };
    expect((await evaluate({ entity_type: 'context', fields: limits })).status).toBe(200);
    expect((await evaluate('{"entity_type":"prompt","fields":{"__proto__":"x"}}')).status).toBe(200);
  });

  it('asks for a key with the scope, or a person, and nobody else', async () => {
    const body = { entity_type: 'context', fields: { a: 'b' } };
    const none = await callWith(place.platform.http, undefined, { path: '/api/rule-engine/evaluate', body });
    expect([none.status, none.body]).toEqual([
      401,
      { err: expect.stringMatching(/^No API key was sent/) as string },
    ]);
    const wrong = await evaluate(body, { key: `${key.slice(0, -1)}_` });
    expect([wrong.status, Object.keys(wrong.body as object)]).toEqual([401, ['err']]);
    const narrow = await evaluate(body, { key: await makeKey(owner, ['prompts']) });
    expect([narrow.status, narrow.body.err]).toEqual([403, expect.stringContaining('rule_engine')]);
    const { browser } = await place.join(owner, 'viewer');
    expect((await browser.call('POST', '/api/rule-engine/evaluate', body)).status).toBe(200);
  });

  it('cannot be held up by a regular expression', async () => {
    const text = await makeContext();
    await makeRule('slow', [context(text)], {
      groups: [{ conditions: [{ field: 'slow', operator: 'regex', value: '^(a+)+$' }] }],
    });
    const told = await evaluate({ entity_type: 'context', fields: { slow: `${'a'.repeat(999)}!` } });
    expect(told.body.matchingRuleIds).toEqual([]);
    const found = await evaluate({ entity_type: 'context', fields: { slow: 'a'.repeat(1_000) } });
    expect(found.body.matchingRuleIds).toHaveLength(1);
  });
});

describe('what is held in memory', () => {
  it('follows changes here at once and those of another program before long', async () => {
    const id = await makeContext();
    const rule = await makeRule('memory', [context(id)]);
    const matching = async () => {
      const { body } = await evaluate({ entity_type: 'context', fields: { memory: 'yes' } });
      return body.matchingRuleIds as string[];
    };
    expect(await matching()).toEqual([rule]);
    expect((await owner.call('DELETE', `/api/rule-engine/rules/${rule}`)).status).toBe(200);
    expect(await matching()).toEqual([]);
    const elsewhere = await openMetadataStore({ dataDir: place.dir, logger: silentLogger });
    try {
      const here = { projectId: 'default', databaseConfigId: 'embedded' };
      const document = {
        name: 'from elsewhere',
        description: '',
        definition: {
          groupOperator: 'AND',
          groups: [
            {
              operator: 'AND',
              conditions: [{ field: 'memory', operator: 'equals', value: 'yes', dataType: 'string' }],
            },
          ],
        },
        status: 'ACTIVE',
        priority: 1,
        links: [{ entityType: 'context', entityId: id }],
      } as const;
      const { id: made } = await elsewhere.change(undefined, ({ rules }) =>
        rules.create(here, document, 'x'),
      );
      await soon(matching).toEqual([made]);
      // A damaged one beside it is passed over, counted and shown with what is wrong.
      const damaged = { ...document, name: 'damaged', definition: { groupOperator: 'AND', groups: 'none' } };
      const { id: broken } = await elsewhere.change(undefined, ({ rules }) =>
        rules.create(here, damaged, 'x'),
      );
      const badRegex = { field: 'memory', operator: 'regex', value: '(', dataType: 'string' };
      const invalid = { groupOperator: 'AND', groups: [{ operator: 'AND', conditions: [badRegex] }] };
      await elsewhere.change(undefined, ({ rules }) =>
        rules.create(here, { ...document, name: 'invalid', definition: invalid }, 'x'),
      );
      const figures = async () => {
        await matching();
        const page = await owner.call('GET', '/metrics');
        return /^candela_broken_rules_total (\d+)/m.exec(page.text)?.[1];
      };
      await soon(figures).toBe('2');
      expect(await matching()).toEqual([made]);
      const shown = await owner.call('GET', `/api/rule-engine/rules/${broken}`);
      expect(shown.data).toMatchObject({
        groups: [],
        problem: expect.stringContaining('Save it again') as string,
      });
      await elsewhere.change(undefined, ({ rules }) => rules.delete(here, made));
      await soon(matching).toEqual([]);
    } finally {
      await elsewhere.close();
    }
  });

  it('is kept apart by project and by database configuration', async () => {
    const other = await make('/api/projects', { name: 'Other shop' });
    const connector = await make('/api/connectors', { kind: 'embedded', name: 'for staging' });
    await owner.call('POST', '/api/projects/default/environments', { name: 'staging' });
    const changes = [{ environment: 'staging', signal: 'platform', connectorId: connector }];
    // A machine with much to do makes the tables of the new database for longer than a request waits.
    await vi.waitFor(
      async () => {
        const bound = await owner.call('PUT', '/api/routing', { changes });
        expect([bound.status, bound.text]).toEqual([200, expect.any(String)]);
      },
      { timeout: 60_000, interval: 500 },
    );
    const places: Record<string, string>[] = [
      {},
      { 'x-platform-environment': 'staging' },
      { 'x-platform-project-id': other },
    ];
    const rules: string[] = [];
    for (const headers of places) {
      const id = await makeContext({}, headers);
      rules.push(await makeRule('placed', [context(id)], {}, headers));
    }
    const foreign = await makeKey(owner, ['rule_engine'], { 'x-platform-project-id': other });
    const ask = async (headers: Record<string, string>, by = key) => {
      const told = await evaluate(
        { entity_type: 'context', fields: { placed: 'yes' } },
        { key: by, headers },
      );
      return told.body.matchingRuleIds ?? told.status;
    };
    expect(await ask({})).toEqual([rules[0]]);
    expect(await ask({ 'x-platform-environment': 'staging' })).toEqual([rules[1]]);
    expect(await ask({ 'x-platform-database-config-id': connector })).toEqual([rules[1]]);
    expect(await ask({}, foreign)).toEqual([rules[2]]);
    expect(await ask({ 'x-platform-project-id': other })).toBe(403);
    expect(await ask({ 'x-platform-database-config-id': 'nobody' })).toBe(403);
  });
});
