/** What one statement of a read may use. The configured bounds; what is declared per kind is a share of them. */
export interface QueryLimits {
  readonly timeoutMs: number;
  readonly maxRowsToRead: number;
  readonly maxMemoryBytes: number;
}

interface Shares {
  /** Of `PLATFORM_QUERY_MAX_ROWS`. */
  readonly rows: number;
  /** Of `PLATFORM_QUERY_MAX_MEMORY`. */
  readonly memory: number;
}

/**
 * What each kind of read may look at and hold, by statement: the engine refuses one that would go beyond before it
 * reads (rows, unless they are bound in bytes) or as soon as it does (memory). Named in docs/operate.md.
 */
const QUERY_BOUNDS = {
  /** A trace, span, record, session or exception that is named. */
  lookup: { rows: 0.5, memory: 0.5 },
  /** A page of a list. */
  list: { rows: 1, memory: 1 },
  /** A chart of spans or logs. */
  chart: { rows: 1, memory: 1 },
  facets: { rows: 1, memory: 1 },
  /** What differs between two sets: it reads samples of both. */
  compare: { rows: 0.5, memory: 1 },
  /** Names and values of fields, to complete what is typed. */
  fields: { rows: 0.5, memory: 0.5 },
  /** A page of an export. */
  export: { rows: 1, memory: 0.5 },
  /** What arrived since the last look of a live view: asked every second. */
  tail: { rows: 0.25, memory: 0.25 },
  /** A chart, heat map or list of metrics. */
  metric: { rows: 0.5, memory: 1 },
  /** The fleet, a host or a GPU with its curves. */
  host: { rows: 1, memory: 0.5 },
} as const satisfies Readonly<Record<string, Shares>>;

export type QueryKind = keyof typeof QUERY_BOUNDS;
export const QUERY_KINDS = Object.keys(QUERY_BOUNDS) as QueryKind[];

/** The bounds of a kind of read. */
export function boundsOf(limits: QueryLimits, kind: QueryKind): QueryLimits {
  const { rows, memory } = QUERY_BOUNDS[kind];
  return {
    timeoutMs: limits.timeoutMs,
    maxRowsToRead: Math.max(1, Math.floor(limits.maxRowsToRead * rows)),
    maxMemoryBytes: Math.floor(limits.maxMemoryBytes * memory),
  };
}
