import {
  CONTEXT_ROUTES,
  EVALUATION_TYPES,
  RULE_OPERATORS,
  RULE_ROUTES,
  type RouteDeclaration,
} from '@candela/contract';
import { OPERATOR_IDS } from '@candela/rules';
import { afterAll, beforeAll, describe, expect, it } from 'vitest';
import type { Answer, Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';
import { callWith, makeKey } from './testing/application.ts';
import { asks, CONDITION, contextBody, LINKS, ruleBody, RULES, SPAN, TRACE } from './testing/bodies.ts';

let place: Installation;
let owner: Browser;
/** Another project of the same organisation. */
let other: Record<string, string>;
beforeAll(async () => {
  place = await openInstallation();
  owner = await place.own();
  const made = await owner.call('POST', '/api/projects', { name: 'Other shop' });
  other = { 'x-platform-project-id': String(made.data.id) };
});
afterAll(async () => {
  await place.close();
});

async function made(path: string, body: object, headers: Record<string, string> = {}) {
  const answer = await owner.call('POST', path, body, headers);
  expect([answer.status, answer.text]).toEqual([201, expect.any(String)]);
  return answer.data;
}
const statuses = (answers: readonly Answer[]) => answers.map(({ status }) => status).toSorted();

describe('a rule', () => {
  it('is saved and read whole, in every spelling that clients use', async () => {
    expect(RULE_OPERATORS).toEqual(OPERATOR_IDS);
    const { id: text } = await made('/api/context', contextBody({ name: 'Tone' }));
    const rule = await made(RULES, {
      name: ' A rule ',
      group_operator: 'OR',
      condition_groups: [
        {
          condition_operator: 'OR',
          conditions: [{ field: 'tokens', operator: 'gt', value: 5, data_type: 'number' }],
        },
        { conditions: [CONDITION] },
      ],
      links: [
        { entity_type: 'context', entity_id: text },
        { entityType: 'evaluation', entityId: 'bias' },
        { entityType: 'evaluation', entityId: 'bias' },
      ],
    });
    expect(rule).toMatchObject({
      name: 'A rule',
      description: '',
      groupOperator: 'OR',
      groups: [
        { operator: 'OR', conditions: [{ field: 'tokens', operator: 'gt', value: '5', dataType: 'number' }] },
        { operator: 'AND', conditions: [CONDITION] },
      ],
      status: 'ACTIVE',
      priority: 100,
      revision: 1,
      problem: null,
      createdBy: 'owner@example.com',
      links: [
        { entityType: 'context', entityId: text, name: 'Tone', state: 'active' },
        { entityType: 'evaluation', entityId: 'bias', name: 'Bias', state: 'active' },
      ],
    });
    expect((await owner.call('GET', `${RULES}/${rule.id}`)).data).toEqual(rule);
    const found = await owner.call('GET', `${RULES}?q=${encodeURIComponent('A RULE')}&status=ACTIVE`);
    expect(found.data).toEqual([rule]);
  });

  it('is refused where it cannot be used, with what is wrong and where', async () => {
    const one = (condition: object) =>
      ruleBody({ groups: [{ conditions: [{ ...CONDITION, ...condition }] }] });
    const tooMany = Array.from({ length: 21 }, () => ({ conditions: [CONDITION] }));
    const lost = crypto.randomUUID();
    for (const [body, status, sentence] of [
      [one({ operator: 'regex', value: '(' }), 422, /^groups\[0\]\.conditions\[0\]\.value: /],
      [one({ operator: 'gt', value: 'many' }), 422, /string takes/],
      [one({ operator: 'between', value: '9,1', dataType: 'number' }), 422, /value/],
      [one({ field: ' ' }), 422, /Name the field/],
      [one({ operator: 'like' }), 400, /operator/],
      [one({ value: {} }), 400, /value/],
      [ruleBody({ groups: [{ conditions: [] }] }), 422, /needs a condition/],
      [ruleBody({ groups: tooMany }), 422, /20 groups at most; these are 21/],
      [ruleBody({ surprise: 1 }), 400, /surprise/],
      [ruleBody({ name: '' }), 400, /name/],
      [ruleBody({ priority: 1.5 }), 400, /priority/],
      [ruleBody({ description: 'a\0b' }), 400, /NUL/],
      [
        ruleBody({ links: [{ entityType: 'context', entityId: lost }] }),
        422,
        new RegExp(`no context with the id "${lost}"`),
      ],
      [ruleBody({ links: [{ entityType: 'prompt', entityId: lost }] }), 422, /no prompt/],
      [
        ruleBody({ links: [{ entityType: 'evaluation', entityId: 'kindness' }] }),
        422,
        /no type of evaluation/,
      ],
      [ruleBody({ links: [{ entityType: 'alert', entityId: 'x' }] }), 400, /entityType/],
    ] as const) {
      const answer = await owner.call('POST', RULES, body);
      expect([answer.status, answer.text]).toEqual([status, expect.stringMatching(/^\{"err":/)]);
      expect((JSON.parse(answer.text) as { err: string }).err).toMatch(sentence);
    }
  });

  it('has its name alone, and takes one of two changes that come at once', async () => {
    const twice = ruleBody();
    const create = (name: string) => owner.call('POST', RULES, { ...twice, name });
    expect(statuses(await Promise.all([create(twice.name), create(twice.name.toUpperCase())]))).toEqual([
      201, 409,
    ]);
    const rule = await made(RULES, ruleBody());
    const put = (name: string) =>
      owner.call('PUT', `${RULES}/${rule.id}`, ruleBody({ name, revision: rule.revision }));
    const both = await Promise.all([put('one of two'), put('two of two')]);
    expect(statuses(both)).toEqual([200, 409]);
    expect(both.find(({ status }) => status === 409)?.text).toContain('at revision 2');
    const won = both.find(({ status }) => status === 200)?.data;
    expect((await owner.call('GET', `${RULES}/${rule.id}`)).data).toEqual(won);
  });

  it('is made once for one Idempotency-Key', async () => {
    const body = ruleBody();
    const key = { 'idempotency-key': 'the-same' };
    const [first, second] = [
      await owner.call('POST', RULES, body, key),
      await owner.call('POST', RULES, body, key),
    ];
    expect([first?.status, second?.data]).toEqual([201, first?.data]);
    expect((await owner.call('POST', RULES, ruleBody(), key)).status).toBe(422);
  });

  it('is linked and unlinked, which is a change of it', async () => {
    const rule = await made(RULES, ruleBody());
    const link = await made(LINKS, { rule_id: rule.id, entity_type: 'evaluation', entity_id: 'toxicity' });
    expect(link).toMatchObject({ ruleId: rule.id, entityId: 'toxicity', name: 'Toxicity', state: 'active' });
    const body = { ruleId: rule.id, entityType: 'evaluation', entityId: 'toxicity' };
    expect((await owner.call('POST', LINKS, body)).status).toBe(409);
    expect((await owner.call('POST', LINKS, { ...body, entityId: 'none' })).status).toBe(422);
    expect((await owner.call('PUT', `${RULES}/${rule.id}`, ruleBody({ revision: 1 }))).status).toBe(409);
    const seen: unknown[] = [];
    await made(LINKS, { ...body, entityId: 'bias' });
    let cursor = '';
    do {
      const page = await owner.call('GET', `${LINKS}?rule_id=${rule.id}&limit=1${cursor}`);
      seen.push(...page.data.map(({ entityId }: { entityId: string }) => entityId));
      const { nextCursor } = JSON.parse(page.text) as { nextCursor: string | null };
      cursor = nextCursor === null ? '' : `&cursor=${encodeURIComponent(nextCursor)}`;
    } while (cursor !== '');
    expect(seen.toSorted()).toEqual(['bias', 'toxicity']);
    expect((await owner.call('DELETE', `${LINKS}?id=${link.id}`)).status).toBe(200);
    expect((await owner.call('DELETE', `${LINKS}?id=${link.id}`)).status).toBe(404);
    const lost = [{ entityType: 'context', entityId: crypto.randomUUID() }];
    expect((await owner.call('PUT', `${RULES}/${rule.id}`, ruleBody({ links: lost }))).status).toBe(422);
    const left = (await owner.call('GET', `${RULES}/${rule.id}`)).data;
    expect([left.revision, left.links.length]).toEqual([4, 1]);
    expect(EVALUATION_TYPES).toHaveLength(11);
  });

  it('is listed page by page with cursors that belong to the question', async () => {
    for (let n = 0; n < 3; n += 1) await made(RULES, ruleBody({ name: `paged ${n}`, priority: n % 2 }));
    const first = await owner.call('GET', `${RULES}?q=paged&limit=2`);
    const { nextCursor } = JSON.parse(first.text) as { nextCursor: string };
    const rest = await owner.call('GET', `${RULES}?q=paged&limit=2&cursor=${encodeURIComponent(nextCursor)}`);
    const names = [...first.data, ...rest.data].map(({ name }: { name: string }) => name);
    expect(names).toEqual(['paged 0', 'paged 2', 'paged 1']);
    for (const wrong of [`q=other&cursor=${encodeURIComponent(nextCursor)}`, 'cursor=nonsense']) {
      expect((await owner.call('GET', `${RULES}?${wrong}`)).code).toBe('bad_query');
    }
  });
});

describe('a context', () => {
  it('has versions of its content, of which an earlier one can be had back', async () => {
    const first = await made('/api/context', contextBody({ tags: '["a"]', metaProperties: '{"x":1}' }));
    expect(first).toMatchObject({
      tags: ['a'],
      metaProperties: { x: 1 },
      version: 1,
      revision: 1,
      usedBy: [],
    });
    const path = `/api/context/${first.id}`;
    const put = (body: object) => owner.call('PUT', path, { ...contextBody({ name: first.name }), ...body });
    expect((await put({ content: 'second', revision: 1 })).data).toMatchObject({ version: 2, tags: [] });
    expect((await put({ content: 'late', revision: 1 })).status).toBe(409);
    const listed = await owner.call('GET', `${path}/versions?limit=1`);
    expect(listed.data).toMatchObject([{ version: 2, preview: 'second', length: 6 }]);
    const { nextCursor } = JSON.parse(listed.text) as { nextCursor: string };
    const older = await owner.call('GET', `${path}/versions?cursor=${encodeURIComponent(nextCursor)}`);
    expect(older.data).toMatchObject([{ version: 1, tags: ['a'] }]);
    expect((await owner.call('GET', `${path}/versions/1`)).data).toMatchObject({ content: 'be kind' });
    expect((await owner.call('GET', `${path}/versions/9`)).status).toBe(404);
    const restored = await owner.call('POST', `${path}/restore`, { version: 1, revision: 2 });
    expect(restored.data).toMatchObject({
      content: 'be kind',
      tags: ['a'],
      metaProperties: { x: 1 },
      version: 3,
    });
    expect((await owner.call('POST', `${path}/restore`, { version: 1, revision: 2 })).status).toBe(409);
    expect((await owner.call('POST', `${path}/restore`, { version: 9 })).status).toBe(404);
    // Who names no revision changes what is there.
    expect((await put({ content: 'last' })).data).toMatchObject({ version: 4, revision: 4 });
  });

  it('is refused where it is no context, and has its name alone', async () => {
    for (const [body, sentence] of [
      [contextBody({ content: '' }), /empty/],
      [contextBody({ content: 'x'.repeat(65_537) }), /content/],
      [contextBody({ content: 'a\0b' }), /NUL/],
      [contextBody({ tags: Array.from({ length: 51 }, (_, n) => `t${n}`) }), /tags/],
      [contextBody({ metaProperties: 'no json' }), /metaProperties/],
      [contextBody({ metaProperties: { big: 'x'.repeat(16_384) } }), /16384 characters/],
      [contextBody({ status: 'ASLEEP' }), /status/],
    ] as const) {
      const answer = await owner.call('POST', '/api/context', body);
      expect([answer.status, answer.text]).toEqual([400, expect.stringMatching(sentence)]);
    }
    const twice = contextBody({ content: `${'"\\\n\u{1f600}'.repeat(9_000)}` });
    const both = await Promise.all([1, 2].map(() => owner.call('POST', '/api/context', twice)));
    expect(statuses(both)).toEqual([201, 409]);
    const kept = both.find(({ status }) => status === 201)?.data;
    expect((await owner.call('GET', `/api/context/${kept.id}`)).data.content).toBe(twice.content);
    const listed = await owner.call('GET', `/api/context?q=${encodeURIComponent(twice.name)}`);
    expect(listed.data).toMatchObject([{ id: kept.id, preview: expect.any(String) as string }]);
    expect(listed.data[0]).not.toHaveProperty('content');
  });
});

describe('ids of another project', () => {
  it('are as unknown as ids that nobody has, for every route, and change nothing', async () => {
    const text = await made('/api/context', contextBody({ name: 'Secret tone' }), other);
    const links = [{ entityType: 'context', entityId: text.id }];
    const rule = await made(RULES, ruleBody({ name: 'Secret rule', links }), other);
    const state = async () =>
      JSON.stringify([
        (await owner.call('GET', `${RULES}/${rule.id}`, undefined, other)).data,
        (await owner.call('GET', `/api/context/${text.id}`, undefined, other)).data,
      ]);
    const before = await state();
    const link = String(rule.links[0].id);
    const nobody = [crypto.randomUUID(), crypto.randomUUID(), crypto.randomUUID()];
    const found = new Map<string, number>();
    for (const { id, method } of Object.values<RouteDeclaration>({ ...RULE_ROUTES, ...CONTEXT_ROUTES })) {
      const told = [];
      for (const ids of [[rule.id, text.id, link].map(String), nobody]) {
        const [path, body] = asks(ids)[id] ?? [`/${id} is not asked here`];
        const { status, text: answered } = await owner.call(method, path, body);
        const plain = ids.reduce((left, one) => left.replaceAll(one, 'ID'), answered);
        told.push([status, status < 300 ? '' : plain]);
        expect([id, /secret/i.test(answered)]).toEqual([id, false]);
        found.set(id, status);
      }
      expect([id, told[0]]).toEqual([id, told[1]]);
    }
    const open = [...found].filter(([, status]) => status < 300).map(([id]) => id);
    expect(open).toEqual([
      'evaluateRules',
      'listRules',
      'listRuleLinks',
      'previewRule',
      'listRuleFieldValues',
      'listContexts',
      'createContext',
    ]);
    expect(found.get('createRule')).toBe(422);
    expect(await state()).toBe(before);
  });
});

describe('why', () => {
  it('is told condition by condition, of fields that are given', async () => {
    const rule = await made(RULES, ruleBody());
    const explain = async (body: object) => owner.call('POST', '/api/rule-engine/explain', body);
    const told = await explain({ rule_id: rule.id, fields: { model: 'claude', x: null } });
    expect(told.data).toMatchObject({
      result: false,
      groups: [
        { operator: 'OR', result: false, conditions: [{ ...CONDITION, seen: 'claude', result: false }] },
      ],
    });
    const draft = {
      groups: [{ conditions: [CONDITION, { field: 'n', operator: 'lt', value: '2', dataType: 'number' }] }],
    };
    const absent = await explain({ rule: draft, fields: { model: 'gpt-4o' } });
    expect(absent.data.groups[0].conditions).toMatchObject([{ result: true }, { result: false, seen: null }]);
    for (const body of [
      { fields: {} },
      { rule: draft, ruleId: rule.id, fields: {} },
      { rule: draft },
      { rule: draft, fields: {}, span: { traceId: TRACE, spanId: SPAN } },
      { rule: draft, span: { traceId: 'x', spanId: SPAN } },
    ]) {
      expect([body, (await explain(body)).status]).toEqual([body, 400]);
    }
    const invalid = { groups: [{ conditions: [{ ...CONDITION, operator: 'regex', value: '(' }] }] };
    expect((await explain({ rule: invalid, fields: {} })).status).toBe(422);
  });

  it('is told of spans, to those who may read them', async () => {
    const attributes = [{ key: 'gen_ai.request.model', value: { stringValue: 'gpt-4o' } }];
    const start = BigInt(Date.now() - 60_000) * 1_000_000n;
    const ingest = await makeKey(owner, ['ingest']);
    const sent = await callWith(place.platform.http, ingest, {
      path: '/v1/traces',
      headers: { 'content-type': 'application/json', 'x-platform-environment': 'staging' },
      body: {
        resourceSpans: [
          {
            scopeSpans: [
              {
                spans: [
                  {
                    traceId: TRACE,
                    spanId: SPAN,
                    name: 'chat',
                    kind: 3,
                    startTimeUnixNano: `${start}`,
                    endTimeUnixNano: `${start + 5_000_000n}`,
                    attributes,
                  },
                ],
              },
            ],
          },
        ],
      },
    });
    expect([sent.status, sent.text]).toEqual([200, expect.any(String)]);
    const condition = { field: 'gen_ai.request.model', operator: 'starts_with', value: 'gpt' };
    const groups = [{ conditions: [condition] }];
    const preview = async () =>
      (await owner.call('POST', '/api/rule-engine/preview', { rule: { groups } })).data;
    await expect.poll(async () => (await preview())?.matched, { timeout: 30_000, interval: 100 }).toBe(1);
    const whole = await preview();
    expect(whole).toMatchObject({
      total: 1,
      seen: 1,
      sampled: false,
      conditions: [[{ matched: 1, excluded: 0 }]],
      newest: [{ traceId: TRACE, spanId: SPAN, environment: 'staging' }],
    });
    const rule = await made(RULES, ruleBody({ groups }));
    expect((await owner.call('POST', `${RULES}/${rule.id}/preview`, { limit: 1 })).data).toEqual(whole);
    const span = { traceId: TRACE, spanId: SPAN };
    const explained = await owner.call('POST', '/api/rule-engine/explain', { ruleId: rule.id, span });
    expect(explained.data).toMatchObject({ result: true, groups: [{ conditions: [{ seen: 'gpt-4o' }] }] });
    const values = await owner.call(
      'GET',
      '/api/rule-engine/field-values?field=gen_ai.request.model&prefix=GPT',
    );
    expect(values.data).toEqual({ sampled: 1, values: [{ value: 'gpt-4o', count: 1 }], more: false });
    expect(
      (await owner.call('POST', '/api/rule-engine/preview', { rule: { groups }, from: 'soon' })).status,
    ).toBe(400);

    const narrow = await makeKey(owner, ['rule_engine']);
    const wide = await makeKey(owner, ['rule_engine', 'telemetry']);
    const staging = { 'x-platform-environment': 'staging' };
    for (const [path, body] of [
      ['/api/rule-engine/preview', { rule: { groups } }],
      [`${RULES}/${rule.id}/preview`, {}],
      ['/api/rule-engine/explain', { ruleId: rule.id, span }],
      ['/api/rule-engine/field-values?field=model', undefined],
    ] as const) {
      const ask = (key: string) =>
        callWith(place.platform.http, key, {
          path,
          headers: staging,
          ...(body === undefined ? { method: 'GET' } : { body }),
        });
      const refused = await ask(narrow);
      expect([path, refused.status, refused.body.err]).toEqual([
        path,
        403,
        expect.stringContaining('telemetry'),
      ]);
      expect([path, (await ask(wide)).status]).toEqual([path, 200]);
    }
  });
});
