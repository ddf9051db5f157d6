import { Agent, type AgentOptions, type IncomingMessage, request } from 'node:http';
import { type ClickHouseSettings, parseError } from '@clickhouse/client';
import { MAX_HEAD_BYTES } from '../engine-host/statement-size.ts';
import { OversizedError } from './errors.ts';
import { queryParam } from './query-params.ts';

/** What the head of a request may hold besides its path. */
const HEADERS_BYTES = 65_536;

/** A reading statement with what it is asked with. */
export interface HostRead {
  readonly sql: string;
  readonly params: Record<string, unknown>;
  readonly settings: ClickHouseSettings;
  readonly headers: Record<string, string>;
  readonly signal: AbortSignal;
}

/**
 * Reads from the engine host over its socket. The ClickHouse client waits for a timer before every request, a millisecond
 * or two, since a server may have closed the connection meanwhile; a page asks up to a dozen statements. The host closes none
 * that is in use, and of a host that was started again that is noticed here.
 */
export class HostReader {
  readonly #agent: Agent;
  readonly #socketPath: string;
  readonly #database: string;

  constructor(socketPath: string, database: string, pool: AgentOptions) {
    this.#socketPath = socketPath;
    this.#database = database;
    this.#agent = new Agent(pool);
  }

  /** All rows of the answer. @throws ClickHouseError what the engine refused; OversizedError; else what the socket failed with */
  async read<T>(statement: HostRead): Promise<T[]> {
    const text = await this.text(statement, 'JSONEachRow');
    return text.split('\n').flatMap((line) => (line === '' ? [] : [JSON.parse(line) as T]));
  }

  /** The answer in a format of the engine's. Throws as {@link read} does. */
  text(statement: HostRead, format: string, database: string = this.#database): Promise<string> {
    const { params, settings } = statement;
    const search = new URLSearchParams({ database, default_format: format });
    for (const [name, value] of Object.entries(params)) search.set(`param_${name}`, queryParam(value));
    for (const [name, value] of Object.entries(settings)) search.set(name, String(value));
    const path = `/?${search}`;
    // The host would close the connection while it is still written to.
    if (path.length > MAX_HEAD_BYTES - HEADERS_BYTES) return Promise.reject(new OversizedError());
    return this.#ask(path, statement);
  }

  close(): void {
    this.#agent.destroy();
  }

  async #ask(path: string, statement: HostRead): Promise<string> {
    try {
      return await this.#post(path, statement, this.#agent);
    } catch (thrown) {
      if (!(thrown instanceof StaleConnection)) throw thrown;
      // One of its own is never stale: where this fails too, the host is away.
      return this.#post(path, statement, false);
    }
  }

  #post(path: string, { sql, headers, signal }: HostRead, agent: Agent | false): Promise<string> {
    return new Promise((resolve, reject) => {
      const body = Buffer.from(sql);
      const asked = request({
        agent,
        socketPath: this.#socketPath,
        path,
        method: 'POST',
        headers: { ...headers, 'Content-Length': body.length },
        signal,
      });
      asked.on('response', (answer) => {
        textOf(answer).then(
          (text) => (answer.statusCode === 200 ? resolve(text) : reject(parseError(text))),
          reject,
        );
      });
      asked.on('error', (error) => {
        reject(asked.reusedSocket && !signal.aborted ? new StaleConnection({ cause: error }) : error);
      });
      asked.end(body);
    });
  }
}

/** A connection of before was closed by the time that it was used. */
class StaleConnection extends Error {
  override readonly name = 'StaleConnection';

  constructor(options: ErrorOptions) {
    super('The engine host closed the connection', options);
  }
}

async function textOf(answer: IncomingMessage): Promise<string> {
  const parts: Buffer[] = [];
  for await (const part of answer) parts.push(part);
  return Buffer.concat(parts).toString('utf8');
}
