import { LONG_SESSION, seedSession } from '../seeds-sessions.ts';
import type { Stage } from '../stage.ts';
import { NARROW, ROWS, type ShotGroup } from './shot.ts';

/** Key of the first row of a list of sessions, users or agents. */
async function keyOf(stage: Stage, what: string): Promise<string> {
  const response = await fetch(`${stage.platform.http}/api/telemetry/${what}`);
  const answer = (await response.json()) as {
    data: { key: string }[] | { agents: { key: string; name: string }[] };
  };
  const rows = 'agents' in answer.data ? answer.data.agents : answer.data;
  const first = rows[0];
  if (first === undefined) throw new Error(`The demo has no ${what}.`);
  return first.key;
}

const CONVERSATION = 'article';
const chats = 'sessions?sort=-traces&q=service:support-chat';

export const sessionsShots: ShotGroup = {
  shots: [
    { name: 'sessions-first', path: '/sessions', ready: 'text=Name the first session', empty: true },
    { name: 'users-first', path: '/users', ready: 'text=Name the first user', empty: true },
    { name: 'agents-first', path: '/agents', ready: 'text=Name the first agent', empty: true },
    { name: 'sessions', path: '/sessions', ready: ROWS },
    { name: 'sessions-filtered', path: '/sessions?q=status:error&sort=-cost', ready: ROWS },
    { name: 'sessions-narrow', path: '/sessions', ready: ROWS, size: NARROW },
    {
      name: 'session-chat',
      path: async (stage) => `/sessions/${await keyOf(stage, chats)}`,
      ready: CONVERSATION,
    },
    {
      name: 'session-agents',
      path: async (stage) => `/sessions/${await keyOf(stage, 'sessions?sort=-cost&q=service:research-crew')}`,
      ready: CONVERSATION,
    },
    {
      name: 'session-narrow',
      path: async (stage) => `/sessions/${await keyOf(stage, chats)}`,
      ready: CONVERSATION,
      size: NARROW,
    },
    { name: 'session-absent', path: '/sessions/nobody', ready: 'text=This session is not here' },
    { name: 'users', path: '/users', ready: ROWS },
    { name: 'user', path: async (stage) => `/users/${await keyOf(stage, 'users?sort=-cost')}`, ready: ROWS },
    { name: 'agents', path: '/agents', ready: ROWS },
    { name: 'agents-narrow', path: '/agents', ready: ROWS, size: NARROW },
    { name: 'agent-overview', path: '/agents/order-support', ready: 'table' },
    {
      name: 'agent-versions',
      path: '/agents/order-support?view=versions',
      ready: 'text=System prompt',
      size: { width: 1440, height: 1600 },
    },
    { name: 'agent-graph', path: '/agents/lead?view=graph', ready: '[data-node]' },
    {
      name: 'agent-graph-edge',
      path: '/agents/lead?view=graph',
      ready: '[data-node]',
      act: (page) => page.getByRole('button', { name: /lead to writer/ }).click(),
    },
  ],
};

/** A session of more than a thousand turns; apart, since it takes a while to send. */
export const longSessionShots: ShotGroup = {
  seed: (stage) => seedSession(stage, LONG_SESSION, 1_300, Date.now() - 60_000),
  shots: [
    {
      name: 'session-long',
      path: `/sessions/${LONG_SESSION}`,
      ready: CONVERSATION,
      act: (page) => page.keyboard.press('e'),
    },
  ],
};
