import { CODING_FLOOR } from '@candela/contract';
import { hasRole, type Principal, type RequestContext } from '@candela/kernel';
import { quote } from '../../engine-host/sql-text.ts';
import { ACTIVITY } from '../../rollups/activity.ts';
import { Params } from './params.ts';
import type { Window } from './scope.ts';
import type { ReadStore } from './stores.ts';

/*
 * The floor: who is not an admin learns of a user of coding agents only where that user has enough sessions in the time range. Of all
 * other users the engine leaves out the rows of every table that a statement names (`floorFilters`, given to it by the runner); lists
 * of sessions keep them in their sums and take the names away (`withFloor`).
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
/** Names of spans that agents send by themselves. */
const NATIVE_NAMES = [
  'claude_code.interaction',
  'claude_code.llm_request',
  'claude_code.tool',
  'session_task.turn',
  'handle_responses',
];
/** Services of agents that name their spans as every application does. */
const NATIVE_SERVICES = ['github-copilot', 'gemini-cli'];
const PREFIXES = ['coding_agent.', 'claude_code.', 'codex.', 'gemini_cli.', 'github.copilot.'];
const CONVENTIONS = ['claude-code', 'codex', 'coding-agents', 'copilot-cli', 'gemini-cli'];

const list = (texts: readonly string[]) => texts.map(quote).join(', ');
const hashes = (texts: readonly string[]) => texts.map((text) => `cityHash64(${quote(text)})`).join(', ');
const begins = (column: string, prefixes: readonly string[]) =>
  prefixes.map((prefix) => `startsWith(${column}, ${quote(prefix)})`).join(' OR ');
/** Who a record is of, as its attributes name them. @param map the column of its attributes */
export const userOfAttributes = (map: string): string =>
  `coalesce(${['gen_ai.request.user', 'user', 'user.email', 'enduser.id', 'user.id'].map((key) => `nullIf(${map}['${key}'], '')`).join(', ')}, '')`;

/** How rows of coding agents, and whose they are, are told in a table. `of` is '', or what the table is called, with a dot. */
interface Told {
  readonly isCoding: (of: string) => string;
  /** Undefined: its rows name nobody, and are left out all together. */
  readonly user: ((of: string) => string) | undefined;
}

const ofService = (of: string) => `${of}ServiceName IN (${list(SERVICES)})`;
const userColumn = (of: string) => `${of}UserId`;
const points: Told = {
  isCoding: (of) => `${ofService(of)} OR ${begins(`${of}MetricName`, PREFIXES)}`,
  user: (of) => userOfAttributes(`${of}Attributes`),
};
/**
 * Every table whose rows tell of one person, by what they hold. The others are sums over many (`span_counts`, `log_counts`,
 * `agent_figures`), times of ids (`exception_groups`, `trace_figures`) or measurements of hosts: they name nobody.
 */
const TOLD: ReadonlyMap<string, Told> = new Map([
  [
    'otel_traces',
    {
      isCoding: (of) =>
        `${ofService(of)} OR startsWith(${of}SpanName, 'coding_agent.') OR ${of}GenAiConvention IN (${list(CONVENTIONS)})`,
      user: userColumn,
    },
  ],
  [
    'otel_logs',
    {
      isCoding: (of) =>
        `${ofService(of)} OR ${of}GenAiConvention IN (${list(CONVENTIONS)}) OR ${begins(`${of}EventName`, PREFIXES)}`,
      user: userColumn,
    },
  ],
  ...['gauge', 'sum', 'histogram', 'exponential_histogram', 'summary'].map(
    (kind) => [`otel_metrics_${kind}`, points] as const,
  ),
  ['metric_series', points],
  [
    ACTIVITY.name,
    {
      isCoding: (of) =>
        `hasAny(${of}ServiceHashes, [${hashes(SERVICES)}]) OR hasAny(${of}NameHashes, [${hashes([...NAMES, ...NATIVE_NAMES])}])`,
      user: userColumn,
    },
  ],
  [
    'exceptions',
    {
      isCoding: (of) => `${ofService(of)} OR startsWith(${of}SpanName, 'coding_agent.')`,
      user: userColumn,
    },
  ],
  ['scores', { isCoding: ofService, user: userColumn }],
  ['host_calls', { isCoding: ofService, user: undefined }],
]);

/** Whether who asks sees every user: admins do, keys of the project and the platform itself too. */
function seesEveryUser(principal: Principal): boolean {
  if (principal.kind === 'anonymous') return true;
  const { role } = principal;
  return role === undefined || hasRole(role, 'admin');
}

const HOUR = 3_600_000_000_000n;

/** Whole hours: two windows that differ by seconds would tell what one user did between. */
export function wholeHours({ from, to }: Window): Window {
  return { from: from - (from % HOUR), to: to + ((HOUR - (to % HOUR)) % HOUR) };
}

/** Who asks, for which tenant, and of which time range. */
export type Asker = Pick<RequestContext, 'projectId' | 'environment' | 'principal' | 'window'>;

/** What is looked at where a read names no time range: one trace, one span, what arrives now. */
const RECENT = 30n * 24n * HOUR;
/** So many users are seen, those with the most sessions: their names go along with each statement. */
const MOST_VISIBLE = 1_000;

/** Users of coding agents that a person may see. */
export interface Visible {
  readonly users: readonly string[];
}

/**
 * The users of coding agents that who asks may see in the time range asked for; undefined: all.
 * @param traces the store that holds the spans of the tenant
 */
export async function visibleTo(
  { projectId, environment, principal, window }: Asker,
  traces: () => ReadStore | Promise<ReadStore>,
): Promise<Visible | undefined> {
  if (seesEveryUser(principal)) return undefined;
  const now = BigInt(Date.now()) * 1_000_000n;
  const { from, to } = wholeHours(window ?? { from: now - RECENT, to: now });
  const params = new Params();
  const conditions = [
    `ProjectId = ${params.bind(projectId, 'String')}`,
    `Bucket >= ${params.second(from)} AND Bucket < ${params.second(to)}`,
    `UserId != ''`,
    `(${told(ACTIVITY.name).isCoding('')})`,
    ...(environment === undefined ? [] : [`Environment = ${params.bind(environment, 'String')}`]),
  ];
  const sessions = `uniqExactIf(SessionHash, SessionHash != cityHash64(''))`;
  let store: ReadStore;
  try {
    store = await traces();
  } catch {
    // Without spans nobody is known to have enough sessions.
    return { users: [] };
  }
  const rows = await store.select<{ UserId: string }>(
    `SELECT UserId FROM ${ACTIVITY.name} WHERE ${conditions.join(' AND ')}
     GROUP BY UserId HAVING ${sessions} >= ${CODING_FLOOR} ORDER BY ${sessions} DESC, UserId LIMIT ${MOST_VISIBLE}`,
    params.values,
  );
  return { users: rows.map(({ UserId }) => UserId) };
}

/** The condition that a row of the sessions' rollup has spans that lists of coding agents are made of. */
export const HAS_CODING_SPANS = `(hasAny(NameHashes, [${hashes([...NAMES, ...NATIVE_NAMES])}]) OR hasAny(ServiceHashes, [${hashes(NATIVE_SERVICES)}]))`;

function told(table: string): Told {
  const found = TOLD.get(table);
  if (found === undefined) throw new RangeError(`Rows of ${table} name nobody`);
  return found;
}

/** The condition that a row is not of a coding agent, or of a user that may be seen. @param of what the table is called, with a dot */
export function floorOf(table: string, { users }: Visible, of = ''): string | undefined {
  const rows = TOLD.get(table);
  if (rows === undefined) return undefined;
  const open =
    users.length === 0 || rows.user === undefined ? '' : ` OR ${rows.user(of)} IN (${list(users)})`;
  return `NOT (${rows.isCoding(of)})${open}`;
}

/** Conditions by table that the engine puts on the rows of a statement before it sees any; of the tables that it names. */
export function floorFilters(sql: string, visible: Visible): Readonly<Record<string, string>> {
  const named = [...TOLD.keys()].filter((table) => sql.includes(table));
  return Object.fromEntries(named.map((table) => [table, floorOf(table, visible) ?? '1']));
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
