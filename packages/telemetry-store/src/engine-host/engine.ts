import { randomUUID } from 'node:crypto';
import { Session } from 'chdb';
import { EngineError } from './engine-error.ts';
import type { ScriptStep } from './protocol.ts';
import type { EngineRequest } from './request.ts';
import { mayBeSeveral, quote, quoteIdentifier, setStatement } from './sql-text.ts';

export interface EngineResult {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly elapsedSeconds: number;
}

/** How often a statement that nobody waits for is told to end. */
const KILL_EVERY_MS = 250;

type Context = Pick<EngineRequest, 'database' | 'settings' | 'parameters'>;

/**
 * The one engine of the process, opened on a directory. Each statement runs on a connection of its own (0.4 ms to
 * open), so that settings, parameters and the current database of one request never reach another. Parameters go in
 * by `SET param_x`, because the binding calls of the library serialise all parameterised queries of the process.
 */
export class Engine {
  readonly version: string;
  readonly #storeDir: string;
  /** Holds the data directory open between requests. */
  readonly #keeper: Session;

  constructor(storeDir: string) {
    this.#storeDir = storeDir;
    this.#keeper = new Session(storeDir);
    this.version = this.#keeper.query('SELECT version()', 'TabSeparated').trim();
  }

  /**
   * Runs one statement and gives the whole result in `format`. Throws the engine's errors; ends the statement when the
   * signal is aborted.
   */
  async run(sql: string, format: string, context: Context, signal?: AbortSignal): Promise<EngineResult> {
    return this.#withSession(context, signal, async (session) => {
      if (mayBeSeveral(sql)) await refuseSeveral(session, sql);
      const result = await session.queryAsync(sql, { format });
      return {
        bytes: result.bytes(),
        rows: result.rowsRead,
        elapsedSeconds: result.elapsed,
      };
    });
  }

  /** Runs statements one after another in one session: temporary tables of one are there for the next. */
  async runScript(steps: readonly ScriptStep[], context: Context): Promise<void> {
    await this.#withSession(context, undefined, async (session) => {
      let answers: readonly string[] = [];
      for (const { sql, asks, when } of steps) {
        if (when !== undefined && answers[when] !== '1') continue;
        const result = await session.queryAsync(sql, { format: 'TabSeparated' });
        if (asks === true) answers = result.text().trim().split('\t');
      }
    });
  }

  /**
   * Streams a result of a line-oriented format chunk by chunk. The start of a stream is planned on this thread: only
   * for callers who ask for it.
   */
  async stream(
    sql: string,
    format: string,
    context: Context,
    onChunk: (bytes: Uint8Array) => Promise<'more' | 'stop'>,
    signal?: AbortSignal,
  ): Promise<void> {
    await this.#withSession(context, signal, async (session) => {
      const stream = session.queryStream(sql, { format });
      try {
        for await (const chunk of stream) {
          if ((await onChunk(chunk.raw())) === 'stop') return;
        }
      } finally {
        stream.cancel();
      }
    });
  }

  /** Answers when the engine itself does. */
  async probe(): Promise<void> {
    await this.#keeper.queryAsync('SELECT 1', { format: 'TabSeparated' });
  }

  close(): void {
    this.#keeper.close();
  }

  async #withSession<T>(
    context: Context,
    signal: AbortSignal | undefined,
    work: (session: Session) => Promise<T>,
  ): Promise<T> {
    const mark = randomUUID();
    const prelude = this.#prelude(signal === undefined ? context : marked(context, mark));
    const session = new Session(this.#storeDir);
    const stopKilling = signal === undefined ? undefined : this.#killOnAbort(signal, mark);
    let succeeded = false;
    try {
      if (prelude !== '') await session.queryAsync(prelude);
      signal?.throwIfAborted();
      const result = await work(session);
      succeeded = true;
      return result;
    } finally {
      await stopKilling?.();
      if (!succeeded) await letGo(session);
      session.close();
    }
  }

  /**
   * The library cannot interrupt a statement, the engine can. Repeated until the statement ended: the first try may
   * come before it has begun. Returns what to call then, which waits for the try under way: it would meet what the
   * connection is asked next.
   */
  #killOnAbort(signal: AbortSignal, mark: string): () => Promise<void> {
    let timer: NodeJS.Timeout | undefined;
    let killing: Promise<void> | undefined;
    const kill = (): void => {
      // One at a time: where the engine is slow they would pile up and make it slower.
      if (killing !== undefined) return;
      const session = new Session(this.#storeDir);
      killing = session
        .queryAsync(`KILL QUERY WHERE Settings['log_comment'] = ${quote(mark)} ASYNC`)
        .then(
          () => {},
          () => {},
        )
        .finally(() => {
          killing = undefined;
          session.close();
        });
    };
    const begin = (): void => {
      timer = setInterval(kill, KILL_EVERY_MS);
      kill();
    };
    signal.addEventListener('abort', begin, { once: true });
    return async () => {
      signal.removeEventListener('abort', begin);
      clearInterval(timer);
      await killing;
    };
  }

  #prelude(context: Context): string {
    let set: string;
    try {
      set = setStatement(context.settings, context.parameters);
    } catch (error) {
      throw new EngineError(36, 'BAD_ARGUMENTS', error instanceof Error ? error.message : String(error));
    }
    const use = context.database === undefined ? '' : `USE ${quoteIdentifier(context.database)}`;
    return [use, set].filter((part) => part !== '').join('; ');
  }
}

/** The statement with a mark by which it can be found among those that run. */
function marked(context: Context, mark: string): Context {
  return { ...context, settings: new Map([...context.settings, ['log_comment', mark]]) };
}

/**
 * A connection holds a statement that failed until it is asked another, and the library closes none before everything that
 * runs beside it has ended. Until then the engine would count it among those that run, and whoever has a lower priority would
 * wait for it: for its whole time, since it is itself what the closing waits for.
 */
async function letGo(session: Session): Promise<void> {
  await session.queryAsync('SET priority = 0').catch(() => {});
}

/** The library would run every statement of the text; ClickHouse's HTTP interface takes one. */
async function refuseSeveral(session: Session, sql: string): Promise<void> {
  const formatted = await session.queryAsync(`SELECT isNull(formatQueryOrNull(${quote(sql)}))`, {
    format: 'TabSeparated',
  });
  if (formatted.text().trim() !== '1') return;
  throw new EngineError(62, 'SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed)');
}
