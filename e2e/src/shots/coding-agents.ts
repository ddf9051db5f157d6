import { PHONE, type ShotGroup } from './shot.ts';
import type { Stage } from '../stage.ts';

const TABLE = 'role=table >> nth=0';
/** The session of the demo with the most tool calls. */
async function busiest(stage: Stage): Promise<string> {
  const response = await fetch(`${stage.platform.http}/api/coding-agents/sessions/search`, {
    method: 'POST',
    body: JSON.stringify({ sort: '-tools', limit: 1, from: '-24h' }),
  });
  const { data } = (await response.json()) as {
    data: { sessionId: string; agent: string; startedAt: string }[];
  };
  const [first] = data;
  if (first === undefined) throw new Error('The demo has no session of a coding agent.');
  return `/coding-agents/${first.sessionId}?${new URLSearchParams({ agent: first.agent, since: first.startedAt }).toString()}`;
}

export const codingAgentShots: ShotGroup = {
  shots: [
    { name: 'coding-empty', path: '/coding-agents', ready: 'text=No session of a coding agent', empty: true },
    {
      name: 'coding-summary',
      path: '/coding-agents?compare=true',
      ready: TABLE,
      size: { width: 1440, height: 1100 },
    },
    { name: 'coding-summary-phone', path: '/coding-agents', ready: TABLE, size: PHONE },
    { name: 'coding-sessions', path: '/coding-agents?view=sessions', ready: 'role=table' },
    { name: 'coding-users', path: '/coding-agents?view=users', ready: 'role=table' },
    { name: 'coding-session', path: busiest, ready: 'role=article', size: { width: 1440, height: 1300 } },
    { name: 'coding-session-phone', path: busiest, ready: 'role=article', size: PHONE },
  ],
};
