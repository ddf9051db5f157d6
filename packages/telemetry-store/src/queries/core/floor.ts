import { CODING_FLOOR } from '@candela/contract';
import { hasRole, type Principal, type RequestContext } from '@candela/kernel';
import { ACTIVITY } from '../../rollups/activity.ts';
import type { Params } from './params.ts';
import type { Window } from './scope.ts';

/*
 * The floor: who is not an admin learns of a user of coding agents only where that user has enough sessions in the window.
 * Rows of other users are left out (`floorOf`); lists of sessions keep them in their sums and take the names away (`withFloor`).
 */

/** Names that coding agents give to their service: our hooks' and those of their own telemetry. */
const SERVICES = [
  'claude-code',
  'codex',
  'codex_cli_rs',
  'codex_exec',
  'codex-cli',
  'codex_vscode',
  'codex-app-server',
  'codex_mcp_server',
  'cursor',
  'windsurf',
  'gemini-cli',
  'copilot-cli',
  'github-copilot',
  'copilot-chat',
  'opencode',
];
/** Names of spans of hooks that rollups keep; a session has some of them. */
const NAMES = [
  'session',
  'turn',
  'llm.turn',
  'tool.call',
  'edit.decision',
  'subagent',
  'git.commit',
  'git.pull_request',
  'session.compact',
  'session.permission_mode.changed',
  'hook.unknown_event',
].map((name) => `coding_agent.${name}`);
const METRICS = ['coding_agent.', 'claude_code.', 'codex.', 'gemini_cli.', 'github.copilot.'];

const list = (texts: readonly string[]) => texts.map((text) => `'${text}'`).join(', ');
const hashes = (texts: readonly string[]) => texts.map((text) => `cityHash64('${text}')`).join(', ');
const first = (map: string) =>
  `coalesce(${['gen_ai.request.user', 'user', 'user.email', 'enduser.id', 'user.id'].map((key) => `nullIf(${map}['${key}'], '')`).join(', ')}, '')`;

/** How rows of coding agents, and whose they are, are told in a table. `t` names the table; a column alone may be an alias of the statement. */
interface Told {
  readonly isCoding: (t: string) => string;
  readonly user: (t: string) => string;
}

const ofService = (t: string) => `${t}.ServiceName IN (${list(SERVICES)})`;
const marked = (t: string) => `has(${t}.ResourceAttributes.keys, 'coding_agent.content_capture_mode')`;
const points: Told = {
  isCoding: (t) =>
    `${ofService(t)} OR ${METRICS.map((prefix) => `startsWith(${t}.MetricName, '${prefix}')`).join(' OR ')}`,
  user: (t) => first(`${t}.Attributes`),
};
const TOLD: ReadonlyMap<string, Told> = new Map([
  [
    'otel_traces',
    {
      isCoding: (t) =>
        `${ofService(t)} OR startsWith(${t}.SpanName, 'coding_agent.') OR ${t}.GenAiConvention IN ('claude-code', 'codex', 'coding-agents') OR ${marked(t)}`,
      user: (t) => `${t}.UserId`,
    },
  ],
  ...['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'].map(
    (kind) => [`otel_metrics_${kind}`, points] as const,
  ),
]);

/** Whether who asks sees every user: admins do, keys of the project and the platform itself too. */
function seesEveryUser(principal: Principal): boolean {
  if (principal.kind === 'user') return hasRole(principal.role, 'admin');
  if (principal.kind === 'key') return principal.role === undefined || hasRole(principal.role, 'admin');
  return true;
}

const HOUR = 3_600_000_000_000n;

/** Whole hours: two windows that differ by seconds would tell what one user did between. */
export function wholeHours({ from, to }: Window): Window {
  return { from: from - (from % HOUR), to: to + ((HOUR - (to % HOUR)) % HOUR) };
}

/** Who asks, for which tenant, and of which time range. */
type FloorContext = Pick<RequestContext, 'projectId' | 'environment' | 'principal'> & {
  readonly window: Window;
};

/**
 * The condition that leaves out rows of coding agents whose user is below the floor in the window, or not known; undefined where who
 * asks sees every user.
 * @param as what the table is called in the statement
 */
export function floorOf(
  { projectId, environment, principal, window }: FloorContext,
  { table, as, database }: { readonly table: string; readonly as: string; readonly database: string },
  params: Params,
): string | undefined {
  const told = TOLD.get(table);
  if (told === undefined || seesEveryUser(principal)) return undefined;
  const { from, to } = wholeHours(window);
  const conditions = [
    `ProjectId = ${params.bind(projectId, 'String')}`,
    `Bucket >= ${params.second(from)} AND Bucket < ${params.second(to)}`,
    `UserId != ''`,
    `(hasAny(ServiceHashes, [${hashes(SERVICES)}]) OR hasAny(NameHashes, [${hashes(NAMES)}]))`,
    ...(environment === undefined ? [] : [`Environment = ${params.bind(environment, 'String')}`]),
  ];
  const users = `SELECT UserId FROM \`${database}\`.${ACTIVITY.name} WHERE ${conditions.join(' AND ')}
    GROUP BY UserId HAVING uniqExactIf(SessionHash, SessionHash != cityHash64('')) >= ${CODING_FLOOR}`;
  return `NOT (${told.isCoding(as)}) OR ${told.user(as)} IN (${users})`;
}

/**
 * Wraps a statement of sessions, one a row with `UserId`: users below the floor lose what names them, and `IsHidden` says so. A session
 * without a user is below it: its folder and branch may name one. Everything that filters, sorts or pages comes after.
 */
export function withFloor(sessions: string, principal: Principal): string {
  if (seesEveryUser(principal)) return `SELECT *, UserId AS Person, false AS IsHidden FROM (${sessions})`;
  return `SELECT * EXCEPT (UserId, Folder, Branch), IsHidden ? '' : Name AS UserId, IsHidden ? '' : Place AS Folder, IsHidden ? '' : Line AS Branch
    FROM (SELECT *, UserId AS Person, UserId AS Name, Folder AS Place, Branch AS Line, UserId = '' OR count() OVER (PARTITION BY UserId) < ${CODING_FLOOR} AS IsHidden FROM (${sessions}))`;
}
