import { createHmac } from 'node:crypto';
import {
  type MailReceiver,
  type MessageReceiver,
  startMailReceiver,
  startMessageReceiver,
} from '@candela/testkit';
import { afterAll, beforeAll, expect, it } from 'vitest';
import type { Browser } from '../identity/testing/browser.ts';
import { type Installation, openInstallation } from '../identity/testing/installation.ts';

const MINUTE = 60_000;
let place: Installation;
let owner: Browser;
let receiver: MessageReceiver;
let mail: MailReceiver;
/** Frozen at a full minute, and moved by hand. */
let now = Math.floor(Date.now() / MINUTE) * MINUTE;

beforeAll(async () => {
  [receiver, mail] = await Promise.all([startMessageReceiver(), startMailReceiver()]);
  place = await openInstallation({
    PLATFORM_ALERT_PRIVATE_RECEIVERS: 'true',
    PLATFORM_SMTP_URL: mail.url,
    PLATFORM_PUBLIC_URL: 'http://127.0.0.1:1',
  });
  owner = await place.own();
});
afterAll(async () => {
  await place.close();
  await Promise.all([receiver.close(), mail.close()]);
});

/** Input of gpt-4o. */
const TOKENS_OF_A_DOLLAR = 400_000;

let spans = 0;
/** Failed or good model calls that end just before a time. */
async function ingest(
  count: number,
  more: {
    at?: number;
    failed?: boolean;
    user?: string;
    cost?: number;
    key?: string;
    service?: string;
    answered?: string;
  } = {},
) {
  const { at = now, failed = false, user = 'ann', cost = 0.5, key = '', service = 'shop', answered } = more;
  const nanos = BigInt(at - 1_000) * 1_000_000n;
  const attributes = [
    { key: 'gen_ai.operation.name', value: { stringValue: 'chat' } },
    { key: 'gen_ai.provider.name', value: { stringValue: 'openai' } },
    { key: 'gen_ai.request.model', value: { stringValue: 'gpt-4o' } },
    { key: 'gen_ai.usage.input_tokens', value: { intValue: String(cost * TOKENS_OF_A_DOLLAR) } },
    { key: 'gen_ai.usage.output_tokens', value: { intValue: '0' } },
    { key: 'user.id', value: { stringValue: user } },
    ...(answered === undefined ? [] : [{ key: 'gen_ai.response.model', value: { stringValue: answered } }]),
    ...(key === '' ? [] : [{ key: 'metadata.user_api_key_hash', value: { stringValue: key } }]),
  ];
  const made = Array.from({ length: count }, () => {
    spans += 1;
    const id = spans.toString(16).padStart(16, '0');
    return {
      traceId: `${'c'.repeat(16)}${id}`,
      spanId: id,
      name: 'chat a-model',
      startTimeUnixNano: `${nanos - 1_000_000n}`,
      endTimeUnixNano: `${nanos}`,
      attributes,
      ...(failed && {
        status: { code: 2 },
        events: [
          {
            name: 'exception',
            timeUnixNano: `${nanos}`,
            attributes: [
              { key: 'exception.type', value: { stringValue: `Failed of ${service}` } },
              { key: 'exception.message', value: { stringValue: 'no' } },
            ],
          },
        ],
      }),
    };
  });
  const sent = await fetch(`${place.platform.otlpHttp}/v1/traces`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      resourceSpans: [
        {
          resource: { attributes: [{ key: 'service.name', value: { stringValue: service } }] },
          scopeSpans: [{ spans: made }],
        },
      ],
    }),
  });
  expect(sent.status).toBe(200);
  await expect
    .poll(
      async () =>
        Number(
          (
            await place.platform.store.select<{ n: string }>('SELECT toString(count()) AS n FROM otel_traces')
          )[0]?.n,
        ),
      { timeout: 20_000 },
    )
    .toBe(spans);
}

/** Lets the clock go on and the jobs run; resolves when both are done. */
async function pass(ms: number): Promise<void> {
  now += ms;
  place.clock.frozenAt = now;
  for (const job of ['alert-evaluation', 'alert-deliveries']) {
    const before = new Set((await runsOf(job)).map(({ id }) => id));
    expect((await owner.call('POST', `/api/jobs/${job}/run`)).status).toBe(200);
    const isDone = async () =>
      (await runsOf(job)).some(({ id, outcome }) => outcome !== null && !before.has(id));
    await expect.poll(isDone, { timeout: 30_000, interval: 50 }).toBe(true);
  }
}
const runsOf = async (job: string) =>
  (await owner.call('GET', `/api/jobs/${job}/runs?limit=200`)).data as {
    id: string;
    outcome: string | null;
  }[];
const made = async (path: string, body: object) => {
  const answer = await owner.call('POST', path, body);
  expect(answer.status, answer.text).toBe(201);
  return answer.data;
};
const errors = {
  kind: 'threshold',
  windowSeconds: 60,
  query: { kind: 'aggregate', body: { measures: ['errors'], groupBy: ['service'] } },
  condition: { op: '>', value: 2, recovery: 0 },
};
const eager = { delaySeconds: 0, groupWaitSeconds: 0, groupIntervalSeconds: 0, repeatSeconds: 300 };
const eventsOf = async (id: string) =>
  (
    (await owner.call('GET', `/api/alerts/events?alertId=${id}`)).data as {
      status: string;
      silenced: boolean;
    }[]
  ).map(({ status, silenced }) => `${status}${silenced ? ' silenced' : ''}`);

it('fires, is told once to everybody with a valid signature, repeats, is acknowledged, and resolves', async () => {
  place.clock.frozenAt = now;
  const channel = { kind: 'webhook', url: `${receiver.url}/hook` };
  const hook = await made('/api/alert-destinations', { name: 'Hook', channel });
  const post = await made('/api/alert-destinations', {
    name: 'Mail',
    channel: { kind: 'email', to: ['oncall@example.com'] },
  });
  const destinations = [hook.destination.id, post.destination.id] as string[];
  const alert = await made('/api/alerts', {
    name: 'Errors of calls',
    ...eager,
    destinations,
    source: errors,
    summary: '{{labels.service}} has {{value}}\r\nBcc: all@example.com',
  });
  await ingest(4, { failed: true });
  await pass(0);
  expect(await eventsOf(alert.id)).toEqual(['firing']);
  expect(receiver.messages).toHaveLength(1);
  const [message] = receiver.messages;
  const id = String(message?.headers['webhook-id']);
  const stamp = String(message?.headers['webhook-timestamp']);
  const key = Buffer.from(String(hook.secret).slice('whsec_'.length), 'base64');
  const own = createHmac('sha256', key).update(`${id}.${stamp}.${message?.body}`).digest('base64');
  expect(message?.headers['webhook-signature']).toBe(`v1,${own}`);
  expect(JSON.parse(message?.body ?? '')).toMatchObject({
    type: 'alert.firing',
    data: { events: [{ status: 'firing', labels: { service: 'shop' }, value: 4 }] },
  });
  const mailed = mail.lines.join('\n');
  expect(mailed).toContain('RCPT TO:<oncall@example.com>');
  expect(mail.lines.filter((line) => line.startsWith('Bcc'))).toHaveLength(1);
  expect(mailed.indexOf('Bcc')).toBeGreaterThan(mailed.indexOf('Subject'));
  expect(mailed).toContain('http://127.0.0.1:1/alerts/');

  // The same instant again tells nobody; five minutes later it is said again, acknowledged it is not.
  await pass(0);
  expect(receiver.messages).toHaveLength(1);
  await ingest(4, { failed: true, at: now + 6 * MINUTE });
  await pass(6 * MINUTE);
  expect(receiver.messages).toHaveLength(2);
  const { groups } = (await owner.call('GET', `/api/alerts/${alert.id}`)).data as {
    groups: { status: string; value: number }[];
  };
  expect(groups).toMatchObject([{ status: 'firing', value: 4 }]);
  await owner.call('POST', `/api/alerts/${alert.id}/acknowledge`, {});
  await ingest(4, { failed: true, at: now + 6 * MINUTE });
  await pass(6 * MINUTE);
  expect(receiver.messages).toHaveLength(2);
  await ingest(1, { at: now + MINUTE });
  await pass(MINUTE);
  expect(await eventsOf(alert.id)).toEqual(['resolved', 'firing']);
  expect(JSON.parse(receiver.messages.at(-1)?.body ?? '')).toMatchObject({ type: 'alert.resolved' });
  const log = (await owner.call('GET', `/api/alert-destinations/deliveries?alertId=${alert.id}`)).data as {
    status: string;
  }[];
  expect(log.map(({ status }) => status)).toEqual(Array(6).fill('sent'));
  await owner.call('DELETE', `/api/alerts/${alert.id}`);
});

it('a silence keeps it quiet, and when it ends it is told; a receiver that fails is tried again with the same id', async () => {
  const hook = await made('/api/alert-destinations', {
    name: 'Second hook',
    channel: { kind: 'webhook', url: `${receiver.url}/second` },
  });
  const destinations = [hook.destination.id as string];
  const silence = await made('/api/alerts/silences', {
    matchers: [{ label: 'service', value: 'sh*' }],
    endsAt: new Date(now + 10 * MINUTE).toISOString(),
    comment: 'Deploying',
  });
  const alert = await made('/api/alerts', { name: 'Quiet', ...eager, destinations, source: errors });
  const before = receiver.messages.length;
  await ingest(3, { failed: true, at: now + MINUTE });
  await pass(MINUTE);
  expect(await eventsOf(alert.id)).toEqual(['firing silenced']);
  expect(receiver.messages).toHaveLength(before);
  expect((await owner.call('DELETE', `/api/alerts/silences/${silence.id}`)).status).toBe(200);
  receiver.answers.push({ status: 503 }, { status: 429, headers: { 'retry-after': '60' } });
  await ingest(3, { failed: true, at: now + MINUTE });
  await pass(MINUTE);
  await pass(6_000);
  await pass(31_000);
  expect(receiver.messages).toHaveLength(before + 2);
  await pass(30_000);
  expect(receiver.messages).toHaveLength(before + 3);
  const ids = receiver.messages.slice(before).map(({ headers }) => headers['webhook-id']);
  expect(new Set(ids).size).toBe(1);
  receiver.answers.push({ status: 410 });
  await ingest(1, { at: now + 2 * MINUTE });
  await pass(2 * MINUTE);
  const listed = (await owner.call('GET', '/api/alert-destinations')).data as {
    id: string;
    enabled: boolean;
    problem: string | null;
  }[];
  expect(listed.find(({ id }) => id === hook.destination.id)).toMatchObject({
    enabled: false,
    problem: 'The receiver answered 410: it is gone.',
  });
  await owner.call('DELETE', `/api/alerts/${alert.id}`);
});

it('a budget of each user tells of its thresholds once, blocks, and switches a rule', async () => {
  // Evaluations are at full minutes; what happened after the last of them is seen by the next.
  now = Math.ceil(now / MINUTE) * MINUTE;
  const rule = await made('/api/rule-engine/rules', {
    name: 'Cheap model',
    status: 'INACTIVE',
    groups: [{ conditions: [{ field: 'model', operator: 'equals', value: 'x' }] }],
  });
  const alert = await made('/api/alerts', {
    name: 'Budget of users',
    ...eager,
    source: {
      kind: 'budget',
      scope: 'user',
      limitUsd: 10,
      period: { kind: 'rolling', seconds: 3_600 },
      blocks: true,
      ruleSwitch: { ruleId: rule.id, status: 'ACTIVE' },
    },
  });
  const check = async (user: string) =>
    (await owner.call('GET', `/api/budget/check?user=${user}&model=m`)).data;
  await ingest(6, { at: now + MINUTE, user: 'bob', cost: 1 });
  await pass(MINUTE);
  const summaries = async () =>
    ((await owner.call('GET', `/api/alerts/events?alertId=${alert.id}`)).data as { labels: object }[]).map(
      ({ labels }) => Object.values(labels).join(' '),
    );
  expect((await summaries()).filter((one) => one.startsWith('bob'))).toEqual(['bob 50']);
  expect(await check('bob')).toEqual({ allowed: true, exceeded: [] });
  await ingest(5, { at: now + MINUTE, user: 'bob', cost: 1 });
  await pass(MINUTE);
  expect((await summaries()).filter((one) => one.startsWith('bob')).toSorted()).toEqual([
    'bob 100',
    'bob 50',
    'bob 80',
  ]);
  expect(await check('bob')).toMatchObject({
    allowed: false,
    exceeded: [
      { budget: 'Budget of users', value: 'bob', limitUsd: 10, percent: expect.closeTo(110, 3) as number },
    ],
  });
  expect(await check('nobody')).toMatchObject({ allowed: true });
  const status = async () =>
    ((await owner.call('GET', `/api/rule-engine/rules/${rule.id}`)).data as { status: string }).status;
  expect(await status()).toBe('ACTIVE');
  // After the period the budget is whole again, and so is the rule.
  await ingest(1, { at: now + 70 * MINUTE });
  await pass(70 * MINUTE);
  expect(await check('bob')).toMatchObject({ allowed: true });
  expect(await status()).toBe('INACTIVE');
});

it('a budget of a model is asked for by the name that an application calls', async () => {
  now = Math.ceil(now / MINUTE) * MINUTE;
  const source = {
    kind: 'budget',
    scope: 'model',
    q: 'service:builds',
    period: { kind: 'rolling', seconds: 3_600 },
    blocks: true,
  };
  const each = await made('/api/alerts', { name: 'Each', ...eager, source: { ...source, limitUsd: 1 } });
  const one = await made('/api/alerts', {
    name: 'One',
    ...eager,
    source: { ...source, limitUsd: 3, only: 'gpt-4o' },
  });
  for (const answered of ['gpt-4o-2024-08-06', 'gpt-4o-2024-11-20'])
    await ingest(2, { at: now + MINUTE, service: 'builds', cost: 1, answered });
  await pass(MINUTE);
  const check = async (model: string) => {
    const { data } = await owner.call('GET', `/api/budget/check?model=${model}`);
    const { allowed, exceeded } = data as {
      allowed: boolean;
      exceeded: { budget: string; value: string; percent: number }[];
    };
    return [
      allowed,
      ...exceeded.map(({ budget, value, percent }) => `${budget} ${value} ${Math.round(percent)}`).toSorted(),
    ];
  };
  // Four dollars were spent on what was asked for as gpt-4o, two on each of its builds.
  expect(await check('gpt-4o')).toEqual([
    false,
    'Each gpt-4o-2024-08-06 200',
    'Each gpt-4o-2024-11-20 200',
    'One gpt-4o 133',
  ]);
  expect(await check('gpt-4o-2024-11-20')).toEqual([false, 'Each gpt-4o-2024-11-20 200']);
  expect(await check('gpt-4o-mini')).toEqual([true]);
  for (const { id } of [each, one]) await owner.call('DELETE', `/api/alerts/${id}`);
});

it('new exceptions and changes are told of once', async () => {
  const changes = await made('/api/alerts', {
    name: 'Changes of secrets',
    ...eager,
    source: { kind: 'changed', objects: ['secret'] },
  });
  await pass(MINUTE);
  await made('/api/vault', { key: 'WATCHED', value: 'v' });
  await pass(MINUTE);
  await pass(MINUTE);
  expect(await eventsOf(changes.id)).toEqual(['occurred']);
  const exceptions = await made('/api/alerts', {
    name: 'New exceptions',
    ...eager,
    source: { kind: 'exception', when: 'new', q: 'service:fresh' },
  });
  await ingest(1, { at: now - 5 * 1_440 * MINUTE, failed: true, service: 'back' });
  await ingest(1, { at: now - 2 * 1_440 * MINUTE, failed: true, service: 'lately' });
  const returns = await made('/api/alerts', {
    name: 'Returned exceptions',
    ...eager,
    source: { kind: 'exception', when: 'returned', quietDays: 3, q: 'service:back OR service:lately' },
  });
  await pass(MINUTE);
  await ingest(2, { at: now + MINUTE, failed: true, service: 'fresh' });
  await pass(MINUTE);
  await ingest(2, { at: now + MINUTE, failed: true, service: 'fresh' });
  for (const service of ['back', 'lately']) await ingest(1, { at: now + MINUTE, failed: true, service });
  await pass(MINUTE);
  await pass(MINUTE);
  expect(await eventsOf(exceptions.id)).toEqual(['occurred']);
  // The other was seen two days ago: three of silence have not passed.
  expect(await eventsOf(returns.id)).toEqual(['occurred']);
  for (const { id } of [changes, exceptions, returns]) await owner.call('DELETE', `/api/alerts/${id}`);
});

it('a preview says what then happened, instant by instant', async () => {
  const exact = {
    name: 'Preview',
    ...eager,
    forSeconds: 60,
    keepFiringSeconds: 120,
    noData: 'alert',
    source: {
      ...errors,
      query: { kind: 'aggregate', body: { measures: ['errors'], groupBy: ['user'], q: 'service:flaps' } },
    },
  };
  const alert = await made('/api/alerts', exact);
  const begin = now;
  const happened: string[] = [];
  // Failures of two users by the minute; undefined: the user calls nothing.
  for (const failures of [
    [3, 0],
    [3, 4],
    [1, 4],
    [0, 4],
    [0, undefined],
    [0, undefined],
    [5, undefined],
    [undefined, undefined],
    [undefined, undefined],
    [undefined, undefined],
    [1, 5],
  ]) {
    for (const [index, failed] of failures.entries()) {
      const user = `user-${index}`;
      if (failed === undefined) continue;
      const one = { at: now + MINUTE, user, service: 'flaps' };
      await ingest(Math.max(failed, 1), { ...one, failed: failed > 0 });
    }
    await pass(MINUTE);
    const { groups } = (await owner.call('GET', `/api/alerts/${alert.id}`)).data as {
      groups: { labels: object; status: string }[];
    };
    for (const { labels, status } of groups) happened.push(`${now} ${JSON.stringify(labels)} ${status}`);
  }
  const previewed = (
    await owner.call('POST', '/api/alerts/preview', { alert: exact, from: begin + 1, to: now })
  ).data as {
    events: { status: string; at: string; labels: object; value: number }[];
    groups: { labels: object; spans: { status: string; from: string; to: string }[] }[];
  };
  const said = previewed.groups.flatMap(({ labels, spans: during }) =>
    during.flatMap(({ status, from, to }) => {
      const instants: string[] = [];
      for (let at = Date.parse(from); at < Date.parse(to); at += MINUTE)
        instants.push(`${at} ${JSON.stringify(labels)} ${status}`);
      return instants;
    }),
  );
  expect(said.toSorted()).toEqual(happened.toSorted());
  const statuses = new Set(happened.map((one) => one.split(' ').at(-1)));
  expect([...statuses].toSorted()).toEqual(['firing', 'no_data', 'ok', 'pending']);
  const real = (await owner.call('GET', `/api/alerts/events?alertId=${alert.id}`))
    .data as typeof previewed.events;
  const told = (list: typeof real) =>
    list
      .map(({ status, at, labels, value }) => `${at} ${status} ${JSON.stringify(labels)} ${value}`)
      .toSorted();
  expect(told(previewed.events)).toEqual(told(real));
  await owner.call('DELETE', `/api/alerts/${alert.id}`);
});

it('every kind of destination takes what fires and what ends, and its test', async () => {
  const secrets: Record<string, string> = {
    slack: `${receiver.url}/slack`,
    teams: `${receiver.url}/teams`,
    discord: `${receiver.url}/discord`,
    pagerduty: 'a-route',
    opsgenie: 'a-key',
  };
  const channels = [
    { kind: 'webhook', url: `${receiver.url}/webhook` },
    ...['slack', 'teams', 'discord'].map((kind) => ({ kind })),
    ...['pagerduty', 'opsgenie'].map((kind) => ({ kind, endpoint: `${receiver.url}/${kind}` })),
    { kind: 'email', to: ['each@example.com'] },
  ];
  const before = receiver.messages.length;
  const destinations: string[] = [];
  for (const channel of channels) {
    const { destination } = await made('/api/alert-destinations', {
      name: `Each ${channel.kind}`,
      channel,
      ...(secrets[channel.kind] === undefined ? {} : { secret: secrets[channel.kind] }),
    });
    destinations.push(destination.id as string);
    expect(JSON.stringify(destination)).not.toContain(secrets[channel.kind] ?? 'whsec_');
    const tested = await owner.call('POST', `/api/alert-destinations/${destination.id}/test`, {});
    expect(tested.data, tested.text).toEqual({ sent: true, error: null });
  }
  const source = {
    ...errors,
    query: { kind: 'aggregate', body: { measures: ['errors'], q: 'service:each' } },
  };
  const alert = await made('/api/alerts', { name: 'Each of them', ...eager, destinations, source });
  const mailsBefore = mail.lines.filter((line) => line.startsWith('Subject')).length;
  await ingest(4, { failed: true, at: now + MINUTE, service: 'each' });
  await pass(MINUTE);
  await ingest(1, { at: now + MINUTE, service: 'each' });
  await pass(MINUTE);
  const paths = Map.groupBy(receiver.messages.slice(before), ({ path }) => path.split('/')[1] ?? '');
  expect(Array.from(paths, ([path, all]) => [path, all.length])).toEqual(
    ['webhook', 'slack', 'teams', 'discord', 'pagerduty', 'opsgenie'].map((path) => [path, 3]),
  );
  const bodies = (path: string) => (paths.get(path) ?? []).map(({ body }) => JSON.parse(body) as object);
  expect(bodies('pagerduty')).toMatchObject([
    { routing_key: 'a-route' },
    { event_action: 'trigger', payload: { severity: 'warning' } },
    { event_action: 'resolve' },
  ]);
  expect(paths.get('opsgenie')?.map(({ path, headers }) => [path, headers.authorization])).toEqual([
    ['/opsgenie/v2/alerts', 'GenieKey a-key'],
    ['/opsgenie/v2/alerts', 'GenieKey a-key'],
    [
      expect.stringMatching(/^\/opsgenie\/v2\/alerts\/candela-.*\/close\?identifierType=alias$/),
      'GenieKey a-key',
    ],
  ]);
  for (const path of ['slack', 'teams', 'discord'])
    expect(JSON.stringify(bodies(path)), path).toMatch(/Firing: Each of them.*Resolved: Each of them/s);
  expect(mail.lines.filter((line) => line.startsWith('Subject')).length - mailsBefore).toBe(2);
  // A destination that is deleted is told nothing more, and the alert can be saved without it.
  expect((await owner.call('DELETE', `/api/alert-destinations/${destinations[0]}`)).status).toBe(200);
  const left = (await owner.call('GET', `/api/alerts/${alert.id}`)).data as {
    alert: { destinations: string[] };
  };
  expect(left.alert.destinations).toEqual(destinations.slice(1));
  await owner.call('DELETE', `/api/alerts/${alert.id}`);
});

it('a key of a gateway has a budget; services that stop and changes of a rate are told', async () => {
  const ofKeys = await made('/api/alerts', {
    name: 'Budget of keys',
    ...eager,
    source: { kind: 'budget', scope: 'key', limitUsd: 1, thresholds: [50, 80, 100], blocks: true },
  });
  const stopped = await made('/api/alerts', {
    name: 'Stopped',
    ...eager,
    source: { kind: 'ingest_stopped', windowSeconds: 60 },
  });
  const query = { kind: 'aggregate', body: { measures: ['count'], q: 'service:gateway' } };
  const nothing = await made('/api/alerts', {
    name: 'Nothing',
    ...eager,
    source: { kind: 'no_data', windowSeconds: 60, query },
  });
  const changed = await made('/api/alerts', {
    name: 'Change',
    ...eager,
    source: { kind: 'change', windowSeconds: 60, query, condition: { op: '>', value: 100 } },
  });
  const burning = await made('/api/alerts', {
    name: 'Burn',
    ...eager,
    source: { kind: 'burn_rate', objective: 0.9, q: 'service:gateway' },
  });
  const call = (count: number, failed = false) =>
    ingest(count, { at: now + MINUTE, service: 'gateway', key: 'hash-1', cost: 0.3, failed });
  await call(1);
  await pass(MINUTE);
  const check = async (key: string) => (await owner.call('GET', `/api/budget/check?key=${key}`)).data;
  expect(await check('hash-1')).toEqual({ allowed: true, exceeded: [] });
  await call(4, true);
  await pass(MINUTE);
  expect(await check('hash-1')).toMatchObject({
    allowed: false,
    exceeded: [{ scope: 'key', value: 'hash-1', blocks: true }],
  });
  expect(await check('hash-2')).toMatchObject({ allowed: true });
  expect((await eventsOf(ofKeys.id)).length).toBe(3);
  expect(await eventsOf(changed.id)).toEqual(['firing']);
  expect(await eventsOf(nothing.id)).toEqual([]);
  expect(await eventsOf(burning.id)).toEqual(['firing']);
  await pass(MINUTE);
  expect(await eventsOf(nothing.id)).toEqual(['firing']);
  const services = (await owner.call('GET', `/api/alerts/events?alertId=${stopped.id}`)).data as {
    labels: { service: string };
  }[];
  expect(services.map(({ labels }) => labels.service)).toContain('gateway');
  // The clock goes on by an hour without a look: one evaluation, and nothing is told twice.
  const count = services.length;
  await pass(60 * MINUTE);
  const after = (await owner.call('GET', `/api/alerts/events?alertId=${stopped.id}`)).data as object[];
  expect(after).toHaveLength(count);
  for (const { id } of [ofKeys, stopped, nothing, changed, burning])
    await owner.call('DELETE', `/api/alerts/${id}`);
});

it('scores that fell and statements fire, each group by itself; a statement sees only its window', async () => {
  const scores = await made('/api/alerts', {
    name: 'Quality',
    ...eager,
    source: {
      kind: 'score_below',
      measure: 'pass_rate',
      value: 0.5,
      minScores: 3,
      windowSeconds: 600,
      groupBy: ['name'],
    },
  });
  const statement = await made('/api/alerts', {
    name: 'By SQL',
    ...eager,
    source: {
      kind: 'threshold',
      windowSeconds: 60,
      query: {
        kind: 'sql',
        query: 'SELECT ServiceName AS service, count() AS spans FROM otel_traces GROUP BY service',
      },
      condition: { op: '>', value: 6 },
    },
  });
  const score = (name: string, verdict: 'pass' | 'fail', source = 'api') =>
    owner.call('POST', '/api/evaluation/scores', {
      traceId: 'd'.repeat(32),
      name,
      value: 1,
      verdict,
      source,
    });
  // The time of a score is that of its arrival.
  for (const [name, verdict] of [
    ['bad', 'fail'],
    ['bad', 'fail'],
    ['bad', 'pass'],
    ['good', 'pass'],
    ['good', 'pass'],
    ['good', 'pass'],
    ['few', 'fail'],
  ] as const)
    expect((await score(name, verdict)).status).toBe(200);
  await ingest(7, { at: now + MINUTE });
  await pass(MINUTE);
  const told = async (id: string) =>
    (
      (await owner.call('GET', `/api/alerts/events?alertId=${id}`)).data as {
        status: string;
        labels: object;
      }[]
    ).map(({ status: what, labels }) => [what, labels]);
  expect(await told(scores.id)).toEqual([['firing', { name: 'bad' }]]);
  expect(await told(statement.id)).toEqual([['firing', { service: 'shop' }]]);
  await ingest(2, { at: now + MINUTE });
  await pass(MINUTE);
  expect((await told(statement.id)).map(([what]) => what).toSorted()).toEqual(['firing', 'resolved']);
  for (const query of ['SELECT * FROM system.tables', 'SELECT ServiceName FROM otel_traces']) {
    const source = { ...errors, query: { kind: 'sql', query } };
    const answer = await owner.call('POST', '/api/alerts', { name: 'x', source });
    expect(answer.status, answer.text).toBe(422);
  }
  // A judge that people did not agree with rings nobody, unless somebody wants that.
  await score('judged', 'fail', 'judge');
  now += 1_000;
  place.clock.frozenAt = now;
  const stored = async () => (await owner.call('GET', '/api/evaluation/scores?name=judged')).data;
  await expect.poll(stored, { timeout: 30_000 }).toHaveLength(1);
  const source = { kind: 'score_below', value: 0.5, minScores: 1, name: 'judged' };
  const quality = (more: object) =>
    owner.call('POST', '/api/alerts', { name: 'Judge', ...eager, source, ...more });
  const refused = await quality({});
  expect([refused.status, refused.text]).toEqual([422, expect.stringContaining('Not calibrated: \\"judged')]);
  expect((await quality({ allowUncalibrated: true })).status).toBe(201);
});

it('refuses what could never work', async () => {
  const destination = (url: string) =>
    owner.call('POST', '/api/alert-destinations', {
      name: url.slice(0, 90),
      channel: { kind: 'webhook', url },
    });
  expect((await destination('ftp://example.com')).status).toBe(422);
  const bad = { ...errors, query: { kind: 'aggregate', body: { q: 'nothing:::(' } } };
  const condition = { op: '>', value: 'NaN' };
  const four = { kind: 'aggregate', body: { groupBy: ['user', 'model', 'service', 'agent'] } };
  const budget = { kind: 'budget', limitUsd: 1 };
  const mars = { kind: 'calendar', unit: 'day', timezone: 'Mars/Base' };
  const wrong: readonly (readonly [object, RegExp])[] = [
    [{ source: bad }, /nothing|position|expected/i],
    [{ source: errors, destinations: ['unknown'] }, /A destination does not exist/],
    [{ source: errors, intervalSeconds: 1 }, /intervalSeconds.*30/s],
    [{ source: errors, summary: '{{constructor}}' }, /Placeholders are/],
    [{ source: { ...errors, condition } }, /condition/],
    [{ source: { ...errors, condition: { op: '>', value: 1, recovery: 2 } } }, /wrong side/],
    [{ source: { ...errors, query: four } }, /groupBy.*3 items/s],
    [{ source: { ...budget, period: mars } }, /Not a time zone/],
    [{ source: { ...budget, thresholds: [50, 80, 50] } }, /given twice/],
    [{ source: { ...budget, scope: 'key', keyField: 'x' } }, /attributes\.my\.key/],
    [
      { source: { ...budget, ruleSwitch: { ruleId: 'none', status: 'ACTIVE' } } },
      /does not exist|not found/i,
    ],
  ];
  for (const [body, sentence] of wrong) {
    const answer = await owner.call('POST', '/api/alerts', { name: 'x', ...body });
    expect([400, 404, 422], answer.text).toContain(answer.status);
    expect(answer.text).toMatch(sentence);
  }
  const { browser: member } = await place.join(owner, 'member');
  const audit = { name: 'Spy', source: { kind: 'changed', objects: ['secret'] } };
  expect((await member.call('POST', '/api/alerts', audit)).status).toBe(403);
  expect((await member.call('POST', '/api/alert-destinations', {})).status).toBe(403);
  const { browser: viewer } = await place.join(owner, 'viewer');
  expect((await viewer.call('POST', '/api/alerts', { name: 'x', source: errors })).status).toBe(403);
});
