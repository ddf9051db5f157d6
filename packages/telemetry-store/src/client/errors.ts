import { CandelaError, type ErrorCode, fail } from '@candela/kernel';
import { ClickHouseError } from '@clickhouse/client';
import { UnboundedAnswerError } from './bounded-answers.ts';

/** A statement the engine refused or gave up, with ClickHouse's numeric code. */
export class StoreError extends CandelaError {
  /** ClickHouse's code, e.g. 62 syntax error, 159 too slow, 241 too much memory. */
  readonly engineCode: number;
  /** ClickHouse's name of the code, e.g. `SYNTAX_ERROR`. */
  readonly engineType: string;

  constructor(
    code: ErrorCode,
    message: string,
    engine: { code: number; type: string; cause: unknown },
    retryAfterSeconds?: number,
  ) {
    super(code, message, {
      cause: engine.cause,
      details: { engineCode: engine.code },
      ...(retryAfterSeconds === undefined ? {} : { retryAfterSeconds }),
    });
    this.engineCode = engine.code;
    this.engineType = engine.type;
  }
}

/**
 * The rows are stored, a rollup of them is not yet. The same insert must be repeated with the same token and the same
 * parts until it passes, and never with others: that would store the rows twice.
 */
export class RollupError extends CandelaError {
  constructor(table: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super('store_unavailable', `The rows of ${table} are stored, not all their rollups are: ${reason}`, {
      cause,
    });
  }
}

/** The engine said that the rows are stored, and could not write all files meanwhile. Repeated as after a {@link RollupError}. */
export class UnsureInsertError extends CandelaError {
  constructor(table: string, cause: unknown) {
    const reason = cause instanceof Error ? cause.message : String(cause);
    super('store_unavailable', `It is not sure that the rows of ${table} are stored: ${reason}`, { cause });
  }
}

/** The bound that a code says was crossed. */
const BOUNDS = new Map<number, string>([
  [158, 'rows'],
  [159, 'time'],
  [160, 'time'],
  [241, 'memory'],
  [307, 'bytes'],
  [396, 'room for its answer'],
]);

const TOO_MUCH_MEMORY = 241;
/** What the engine says when all of its work together is too much: no bound of the statement was crossed. */
const OF_ALL = '(total)';

/** Codes that pass by themselves: too busy, no space, merges behind, replicas or keeper away, shutting down. */
const PASSING = new Set([
  3, 159, 202, 209, 210, 225, 236, 241, 242, 243, 252, 279, 285, 286, 319, 394, 425, 439, 516, 571, 606, 722,
  999,
]);

/** The expression does not compile (RE2): most often because repetitions inside repetitions make it huge. */
const INVALID_REGEX = 427;

/** Statements of more parts or levels than the engine takes: a filter with very many spellings of very long values. */
const TOO_LARGE = new Set([167, 168, 306, 718]);
/** Of more bytes. Told as an error of syntax, for what lies beyond the bound is not read. */
const isQueryTooLong = ({ message }: ClickHouseError): boolean =>
  message.startsWith('Max query size exceeded');

const BUSY =
  'The store has more questions than it can answer now, and refuses those that look at most first. Narrow the time range or the filter, or try again shortly.';
const BUSY_RETRY_SECONDS = 5;

const TOO_LARGE_TEXT =
  'The question is larger than the store takes. Look for fewer words or values at once, or shorter ones.';

const ANSWER_TOO_LARGE =
  'The database answered with more than an answer may be. Narrow the time range or the filter.';

/** A statement whose values are more than a request takes: it is not even sent. */
export class OversizedError extends CandelaError {
  constructor() {
    super('query_too_expensive', TOO_LARGE_TEXT);
  }
}

/** What a failed call becomes. Aborts of the caller pass as they are. */
export function translateError(thrown: unknown, call: 'read' | 'write', signal?: AbortSignal): unknown {
  if (signal?.aborted === true) return signal.reason;
  if (thrown instanceof OversizedError) return thrown;
  if (call === 'read' && thrown instanceof UnboundedAnswerError && thrown.bound === 'bytes') {
    return new CandelaError('query_too_expensive', ANSWER_TOO_LARGE, { cause: thrown });
  }
  if (!(thrown instanceof ClickHouseError)) {
    return fail('store_unavailable', { seconds: 5 }, { cause: thrown });
  }
  const code = Number(thrown.code);
  const engine = { code, type: thrown.type ?? '', cause: thrown };
  if (call === 'write' && PASSING.has(code)) {
    return new StoreError('overloaded', `The store cannot take the data now: ${thrown.message}`, engine);
  }
  if (code === 202) {
    return new StoreError('overloaded', BUSY, engine, BUSY_RETRY_SECONDS);
  }
  if (code === 209 || code === 210) {
    return new StoreError('overloaded', 'The store is busy. Try again shortly.', engine);
  }
  if (code === TOO_MUCH_MEMORY && thrown.message.includes(OF_ALL)) {
    return new StoreError(
      'overloaded',
      'All queries that run now need more memory than the store has. Try again shortly, or narrow the time range or the filter.',
      engine,
    );
  }
  if (code === INVALID_REGEX) {
    return new StoreError(
      'bad_query',
      'The regular expression is too large or wrong in a way that only the engine notices. Write it shorter.',
      engine,
    );
  }
  if (TOO_LARGE.has(code) || isQueryTooLong(thrown)) {
    return new StoreError('query_too_expensive', TOO_LARGE_TEXT, engine);
  }
  const resource = BOUNDS.get(code);
  if (resource !== undefined) {
    return new StoreError(
      'query_too_expensive',
      `The query needs more ${resource} than its bound allows. Narrow the time range or the filter.`,
      engine,
    );
  }
  return new StoreError('internal', thrown.message, engine);
}

const GONE = new Set([8, 10, 16, 47]);

/** Whether the engine says that a column is no more: unknown name, no such column, not found. */
export const isGone = (thrown: unknown): boolean =>
  thrown instanceof StoreError && GONE.has(thrown.engineCode);
