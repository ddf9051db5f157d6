import { alertInputSchema, alertQuerySchema, type AlertDraft } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import { describe, expect, it } from 'vitest';
import type { AlertMessage } from './channels/channel.ts';
import { discord } from './channels/discord.ts';
import { opsgenie } from './channels/opsgenie.ts';
import { pagerduty } from './channels/pagerduty.ts';
import { slack } from './channels/slack.ts';
import { teams } from './channels/teams.ts';
import { signature, webhook } from './channels/webhook.ts';
import { deviations } from './kinds/anomaly.ts';
import { periodStart } from './kinds/budget.ts';
import type { AlertSources, Labels, Reading } from './kinds/kind.ts';
import { measure } from './kinds/measure.ts';
import { eventId, instantAt, isSilencedBy, summaryOf } from './plan.ts';
import { previewAlert } from './preview.ts';
import { groupKey, type GroupState, step } from './step.ts';

const MINUTE = 60_000;
const policy = { forSeconds: 0, keepFiringSeconds: 0, noData: 'ok' as const, missingAfter: 2 };
const CONDITION = { op: '>', value: 10, recovery: 5 } as const;
const reading = (value: number | null, labels: Labels = []): Reading => ({
  labels,
  value,
  condition: CONDITION,
});

/** What happens along values of one group, a minute apart; null: no data, undefined: the group is not there. */
function along(values: readonly (number | null | undefined)[], more: Partial<typeof policy> | object = {}) {
  let states: ReadonlyMap<string, GroupState> = new Map();
  const told: string[] = [];
  const statuses: (string | undefined)[] = [];
  for (const [index, value] of values.entries()) {
    const readings = value === undefined ? [] : [reading(value)];
    const stepped = step({ ...policy, ...more }, states, readings, index * MINUTE);
    told.push(...stepped.transitions.map(({ change, at }) => `${change}@${at / MINUTE}`));
    states = stepped.states;
    statuses.push(states.get(groupKey([]))?.status);
  }
  return { told, statuses };
}

describe('states of a group', () => {
  it('fire beyond the value, and end beyond the recovery value only', () => {
    expect(along([1, 11, 7, 11, 6, 5, 9, 12]).told).toEqual(['firing@1', 'resolved@5', 'firing@7']);
  });
  it('wait in event time before they fire, whatever instants were missed', () => {
    expect(along([11, 11, 11, 1, 11, 11, 11, 11], { forSeconds: 180 }).told).toEqual(['firing@7']);
    const first = step({ ...policy, forSeconds: 180 }, new Map(), [reading(11)], 0);
    expect(
      step({ ...policy, forSeconds: 180 }, first.states, [reading(11)], 60 * MINUTE).transitions,
    ).toMatchObject([{ change: 'firing' }]);
  });
  it('go on firing for a while', () => {
    expect(along([11, 1, 11, 1, 1, 1], { keepFiringSeconds: 120 }).told).toEqual(['firing@0', 'resolved@4']);
  });
  it('take no data as the alert says', () => {
    expect(along([11, undefined, null, 11]).told).toEqual(['firing@0', 'resolved@2', 'firing@3']);
    expect(along([11, undefined, null, null, 1], { noData: 'keep' }).told).toEqual([
      'firing@0',
      'resolved@4',
    ]);
    expect(along([1, null, null, 1], { noData: 'alert' }).told).toEqual(['no_data@2', 'resolved@3']);
    expect(along([undefined, undefined, undefined], { noData: 'alert' }).told).toEqual(['no_data@1']);
  });
  it('of groups that are gone for long are forgotten', () => {
    const { statuses } = along([1, ...Array<undefined>(12).fill(undefined)]);
    expect(statuses.at(-2)).toBe('ok');
    expect(statuses.at(-1)).toBeUndefined();
  });
  it('change at most once an instant, and never without a transition of firing', () => {
    let seed = 7;
    const random = () => (seed = (seed * 48_271) % 2_147_483_647) / 2_147_483_647;
    for (let round = 0; round < 200; round += 1) {
      const values = Array.from({ length: 40 }, () => (random() < 0.2 ? null : Math.round(random() * 20)));
      const { told, statuses } = along(values, { forSeconds: random() < 0.5 ? 120 : 0 });
      const firings = told.filter((one) => one.startsWith('firing')).length;
      const resolved = told.filter((one) => one.startsWith('resolved')).length;
      expect(firings - resolved).toBe(statuses.at(-1) === 'firing' ? 1 : 0);
      expect(new Set(told.map((one) => one.split('@')[1])).size).toBe(told.length);
    }
  });
});

describe('groups without end', () => {
  it('are the largest of them, and it says how many there are', async () => {
    const rows = Array.from({ length: 500 }, (_, n) => ({ group: [`u${n}`], values: [n], time: null }));
    const sources = {
      aggregate: (_context: unknown, { limit }: { limit: number }) =>
        Promise.resolve({ data: { rows: rows.slice(0, limit), groups: 1_000_000 } }),
    } as unknown as AlertSources;
    const { all, note } = await measure(
      sources,
      alertQuerySchema.parse({ kind: 'aggregate', body: { groupBy: ['user'] } }),
      {
        context: {} as RequestContext,
        signal: new AbortController().signal,
        allowUncalibrated: false,
        from: 0,
        to: MINUTE,
      },
    );
    expect(all).toHaveLength(500);
    expect(note).toBe('1000000 groups exist; the 500 largest are followed.');
  });
});

describe('plans', () => {
  it('evaluate at multiples of the interval, and give one happening one id', () => {
    expect(instantAt(60, 125_000)).toBe(120_000);
    expect(eventId('a', 'g', 1, 'firing')).toBe(eventId('a', 'g', 1, 'firing'));
    expect(eventId('a', 'g', 1, 'firing')).not.toBe(eventId('a', 'g', 1, 'resolved'));
  });
  it('begin periods of budgets where the time zone does, summer time or not', () => {
    const start = (unit: 'day' | 'week' | 'month', timezone: string, at: string) =>
      new Date(periodStart({ kind: 'calendar', unit, timezone }, Date.parse(at))).toISOString();
    expect(start('day', 'Europe/Berlin', '2026-03-29T10:00:00Z')).toBe('2026-03-28T23:00:00.000Z');
    expect(start('day', 'Europe/Berlin', '2026-03-30T10:00:00Z')).toBe('2026-03-29T22:00:00.000Z');
    expect(start('month', 'Europe/Berlin', '2026-10-26T10:00:00Z')).toBe('2026-09-30T22:00:00.000Z');
    expect(start('week', 'UTC', '2026-11-28T10:00:00Z')).toBe('2026-11-23T00:00:00.000Z');
    expect(periodStart({ kind: 'rolling', seconds: 3_600 }, 7_200_000)).toBe(3_600_000);
  });
  it('call a value unlike four weeks by its deviations, and two weeks nothing', () => {
    expect(deviations(10, [10, 11])).toBeUndefined();
    expect(deviations(100, [10, 11, 9, 10])).toBeGreaterThan(50);
    expect(Math.abs(deviations(10.2, [10, 10, 10, 10]) ?? 9)).toBeLessThan(1);
    expect(deviations(0, [10, 11, 9, 10])).toBeLessThan(-5);
  });
  it('silence by labels, with stars and without expressions', () => {
    const labels = new Map([
      ['team', 'a.b'],
      ['model', 'gpt-4o'],
    ]);
    const one = (label: string, value: string, not = false) => isSilencedBy([{ label, value, not }], labels);
    expect(one('model', 'gpt-*')).toBe(true);
    expect(one('team', 'a.b')).toBe(true);
    expect(one('team', 'a?b')).toBe(false);
    expect(one('team', '(a+)+$')).toBe(false);
    expect(one('model', 'gpt-*', true)).toBe(false);
    expect(one('none', '')).toBe(true);
    expect(one('model', '*t*4*')).toBe(true);
    expect(one('model', '*4o*4o')).toBe(false);
    expect(one('model', 'gpt-4o*4o')).toBe(false);
    expect(one('team', String.raw`a.\*`)).toBe(false);
    // As an expression with backtracking this would not end.
    const long = new Map([['user', `${'a'.repeat(5_000)}b`]]);
    expect(isSilencedBy([{ label: 'user', value: '*a'.repeat(150), not: false }], long)).toBe(false);
  });
});

const draft = (more: Partial<AlertDraft> = {}): AlertDraft => ({
  name: 'Errors',
  source: {
    kind: 'threshold',
    query: { kind: 'aggregate', body: { measures: ['error_rate'], groupBy: ['model'] } },
    condition: { op: '>', value: 0.1 },
  },
  ...more,
});

describe('alerts as they are written', () => {
  const accepts = (more: Partial<AlertDraft>) => alertInputSchema.safeParse(draft(more)).success;
  it('take known placeholders and nothing else', () => {
    expect(accepts({ summary: '{{name}} at {{value}} for {{labels.model}}' })).toBe(true);
    for (const summary of ['{{constructor}}', '{{labels}}', '{{name', '{{ name | safe }}'])
      expect(accepts({ summary }), summary).toBe(false);
  });
  it('have bounds', () => {
    expect(accepts({ intervalSeconds: 1 })).toBe(false);
    const source = draft().source as { condition: unknown };
    for (const condition of [
      { op: '>', value: Number.NaN },
      { op: '>', value: 1, recovery: 2 },
      { op: '<', value: 2, recovery: 1 },
    ])
      expect(accepts({ source: { ...source, condition } as never })).toBe(false);
    expect(
      accepts({
        source: {
          kind: 'budget',
          limitUsd: 1,
          period: { kind: 'calendar', unit: 'day', timezone: 'Mars/Base' },
        },
      }),
    ).toBe(false);
  });
  it('say what happened in a sentence', () => {
    const alert = alertInputSchema.parse(draft());
    const event = { labels: [['model', 'm']] as const, value: 0.25, limit: 0.1 };
    expect(summaryOf(alert, { ...event, status: 'firing' })).toBe('Errors (model=m): 0.25, the limit is 0.1');
    const own = { ...alert, summary: '{{labels.model}} {{ value }} {{labels.toString}}' };
    expect(summaryOf(own, { ...event, status: 'firing' })).toBe('m 0.25 ');
  });
});

const message = (summary: string, status: 'firing' | 'resolved' = 'firing'): AlertMessage => ({
  id: 'msg_1',
  sentAt: 1_764_313_200_000,
  isTest: false,
  alert: { id: 'a', name: 'Errors <!channel>', description: '', environment: null, labels: {} },
  events: [
    {
      id: 'e',
      alertId: 'a',
      alertName: 'Errors',
      severity: 'critical',
      status,
      at: '2025-11-28T07:00:00.000Z',
      recordedAt: '2025-11-28T07:00:00.000Z',
      groupKey: 'g',
      labels: {},
      value: 1,
      summary,
      silenced: false,
      link: null,
    },
  ],
  url: 'https://candela.example.com/alerts/a',
});
const SECRET = 'whsec_MDEyMzQ1Njc4OWFiY2RlZjAxMjM0NTY3ODlhYmNkZWY=';
const hostile = `<!channel> [x](https://evil.example) @everyone ${'x'.repeat(20_000)}`;

describe('messages', () => {
  it('of webhooks are signed as Standard Webhooks say', () => {
    expect(signature(SECRET, 'msg_1', 1_764_313_200, '{"type":"alert.firing"}')).toBe(
      'v1,wct2SngbwYJpLJ7YMJmvHjw37FeWVxOpcirlB5ETI4g=',
    );
    const channel = { kind: 'webhook', url: 'https://example.com' } as const;
    const [call] = webhook.calls(message('x'), { channel, secret: SECRET, secretBefore: SECRET });
    const signatures = call?.headers['webhook-signature']?.split(' ') ?? [];
    expect(signatures).toHaveLength(2);
    expect(signatures[0]).toBe(signature(SECRET, 'msg_1', 1_764_313_200, call?.body ?? ''));
  });
  it('of Slack mention nobody, and are no longer than it takes', () => {
    const [call] = slack.calls(message(hostile), {
      channel: { kind: 'slack' },
      secret: 'https://s',
      secretBefore: null,
    });
    expect(call?.body).not.toContain('<!');
    expect(call?.body.length).toBeLessThan(13_000);
  });
  it('of Discord and Teams show texts as texts', () => {
    const [post] = discord.calls(message(hostile), {
      channel: { kind: 'discord' },
      secret: 'https://d',
      secretBefore: null,
    });
    expect(JSON.parse(post?.body ?? '')).toMatchObject({ allowed_mentions: { parse: [] } });
    expect(post?.body).not.toContain('[x](');
    const [card] = teams.calls(message(hostile), {
      channel: { kind: 'teams' },
      secret: 'https://t',
      secretBefore: null,
    });
    expect(card?.body).not.toContain('[x](');
    expect(card?.body.length).toBeLessThan(28_000);
  });
  it('of PagerDuty and Opsgenie close what they opened', () => {
    const page = {
      channel: { kind: 'pagerduty', endpoint: 'https://p/' } as const,
      secret: 'k',
      secretBefore: null,
    };
    const bodies = [
      ...pagerduty.calls(message(hostile), page),
      ...pagerduty.calls(message('x', 'resolved'), page),
    ].map(
      ({ body }) =>
        JSON.parse(body) as { event_action: string; dedup_key: string; payload: { summary: string } },
    );
    expect(bodies.map(({ event_action }) => event_action)).toEqual(['trigger', 'resolve']);
    expect(bodies[0]?.dedup_key).toBe(bodies[1]?.dedup_key);
    expect(bodies[0]?.payload.summary.length).toBeLessThanOrEqual(1_024);
    const genie = {
      channel: { kind: 'opsgenie', endpoint: 'https://o' } as const,
      secret: 'k',
      secretBefore: null,
    };
    const [open] = opsgenie.calls(message('x'), genie);
    const [close] = opsgenie.calls(message('x', 'resolved'), genie);
    expect(open?.headers['authorization']).toBe('GenieKey k');
    expect(close?.url).toContain(`${(JSON.parse(open?.body ?? '') as { alias: string }).alias}/close`);
  });
});

describe('a preview', () => {
  const WEEK = 7 * 86_400_000;
  const to = WEEK * 2_000;
  /** A count of a minute: 11 in every tenth hour, else 1. */
  const look = (budgetMs: number) => {
    const ends: number[] = [];
    const sources = {
      aggregate: (_context: unknown, { to: end }: { to: number }) => {
        ends.push(end);
        const value = Math.floor(end / 3_600_000) % 10 === 0 ? 11 : 1;
        return Promise.resolve({ data: { rows: [{ group: [], values: [value] }], groups: 1 } });
      },
    } as unknown as AlertSources;
    const query = { kind: 'aggregate', body: { measures: ['count'] } } as const;
    const source = { kind: 'threshold', query, condition: { op: '>', value: 10 } } as const;
    const asked = { context: {} as RequestContext, from: to - WEEK, to, budgetMs };
    const { signal } = new AbortController();
    return previewAlert(sources, alertInputSchema.parse({ name: 'x', source }), { ...asked, signal }).then(
      (preview) => ({ preview, ends }),
    );
  };
  it('looks at few instants where each takes long, and says how far they lie apart', async () => {
    const [all, few] = await Promise.all([look(Infinity), look(0)]);
    expect([all.preview.instants, all.preview.everySeconds]).toEqual([388, 1_560]);
    expect([few.preview.instants, few.preview.everySeconds]).toEqual([49, 8 * 1_560]);
    expect(few.preview.notes).toEqual([
      expect.stringMatching(/^Looked at every 12480 s instead of every 60 s/),
    ]);
    expect(few.ends).toHaveLength(49);
  });
  it('asks for each instant once, and finds the same at it however many there are', async () => {
    const [all, few] = await Promise.all([look(Infinity), look(0)]);
    expect(all.ends).toHaveLength(388);
    expect(new Set(all.ends).size).toBe(388);
    const points = new Map(all.preview.groups[0]?.points);
    expect(few.preview.groups[0]?.points.map(([at]) => [at, points.get(at)])).toEqual(
      few.preview.groups[0]?.points,
    );
    expect(few.preview.to).toBe(all.preview.to);
  });
});
