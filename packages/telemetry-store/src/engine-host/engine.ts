import { Session } from 'chdb';
import { EngineError } from './engine-error.ts';
import type { EngineRequest } from './request.ts';
import { mayBeSeveral, quote, quoteIdentifier, setStatement } from './sql-text.ts';

export interface EngineResult {
  readonly bytes: Uint8Array;
  readonly rows: number;
  readonly elapsedSeconds: number;
}

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

  /** Runs one statement and gives the whole result in `format`. Throws the engine's errors. */
  async run(sql: string, format: string, context: Context): Promise<EngineResult> {
    return this.#withSession(context, async (session) => {
      if (mayBeSeveral(sql)) await refuseSeveral(session, sql);
      const result = await session.queryAsync(sql, { format });
      return {
        bytes: result.bytes(),
        rows: result.rowsRead,
        elapsedSeconds: result.elapsed,
      };
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
  ): Promise<void> {
    await this.#withSession(context, async (session) => {
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

  async #withSession<T>(context: Context, work: (session: Session) => Promise<T>): Promise<T> {
    const prelude = this.#prelude(context);
    const session = new Session(this.#storeDir);
    try {
      if (prelude !== '') await session.queryAsync(prelude);
      return await work(session);
    } finally {
      session.close();
    }
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

/** The library would run every statement of the text; ClickHouse's HTTP interface takes one. */
async function refuseSeveral(session: Session, sql: string): Promise<void> {
  const formatted = await session.queryAsync(`SELECT isNull(formatQueryOrNull(${quote(sql)}))`, {
    format: 'TabSeparated',
  });
  if (formatted.text().trim() !== '1') return;
  throw new EngineError(62, 'SYNTAX_ERROR', 'Syntax error (Multi-statements are not allowed)');
}
