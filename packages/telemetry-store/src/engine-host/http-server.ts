import { randomBytes, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { join } from 'node:path';
import type { Readable } from 'node:stream';
import type { Engine, EngineResult } from './engine.ts';
import { EngineError, statusOf } from './engine-error.ts';
import { ConcurrencyGate, HEAVIEST } from './gate.ts';
import { decodedBody, type Inbox } from './inbox.ts';
import { type EngineRequest, parseRequest } from './request.ts';
import {
  ASKER_HEADER,
  WAIT_HEADER,
  CONCURRENT_INSERTS,
  OUTBOX_HEADER,
  SCRIPT_HEADER,
  type Script,
  STREAM_HEADER,
} from './protocol.ts';
import {
  inputFromFile,
  type InsertText,
  insertFromFile,
  splitInsert,
  trailingFormat,
  type InputText,
  splitInput,
} from './sql-text.ts';
import { MAX_HEAD_BYTES } from './statement-size.ts';

export interface HttpServerOptions {
  readonly engine: Engine;
  readonly inbox: Inbox;
  /** Directory in which the parent leaves the data of inserts. */
  readonly outboxDir: string;
  readonly concurrentQueries: number;
  /** Seconds a statement may run unless the request says otherwise. */
  readonly executionSeconds: number;
  /** Told when a statement starts and ends, with the seconds it may take (0: no bound). */
  readonly watch: (boundSeconds: number) => () => void;
}

interface Gates {
  readonly reads: ConcurrencyGate;
  readonly inserts: ConcurrencyGate;
}

/** As long as the one who inserts waits for an answer. */
const INSERT_WAIT_MS = 600_000;
const MAX_QUERY_BYTES = 64 << 20;
/** Who asks where nobody says: of reads, all are one. Each insert is for itself. */
const NOBODY = '';
const STREAMABLE = new Set([
  'JSONEachRow',
  'JSONCompactEachRow',
  'TabSeparated',
  'TSV',
  'CSV',
  'RowBinary',
  'Native',
]);

/** Serves ClickHouse's HTTP interface, as far as `@clickhouse/client` uses it. */
export function createEngineServer(options: HttpServerOptions): Server {
  // Apart, so that slow reads never hold up ingest.
  const gates: Gates = {
    reads: new ConcurrencyGate(options.concurrentQueries),
    // One that waits is repeated as it is: sooner or later all have to be done.
    inserts: new ConcurrencyGate(CONCURRENT_INSERTS, INSERT_WAIT_MS),
  };
  const server = createServer({ keepAliveTimeout: 600_000, maxHeaderSize: MAX_HEAD_BYTES }, (req, res) => {
    void answer(req, res, options, gates);
  });
  // Inserts may take as long as their bound says; the interface is for our own process only.
  server.requestTimeout = 0;
  server.headersTimeout = 60_000;
  return server;
}

async function answer(
  req: IncomingMessage,
  res: ServerResponse,
  options: HttpServerOptions,
  gates: Gates,
): Promise<void> {
  const path = (req.url ?? '/').split('?', 1)[0];
  try {
    if (path === '/ping' || (req.method === 'GET' && path === '/' && !req.url?.includes('query='))) {
      res.writeHead(200, { 'Content-Type': 'text/plain' }).end('Ok.\n');
    } else if (path === '/probe') {
      await options.engine.probe();
      res.writeHead(200, { 'Content-Type': 'text/plain' }).end('Ok.\n');
    } else {
      await answerQuery(req, res, options, gates);
    }
  } catch (error) {
    sendError(req, res, error, options.engine.version);
  }
}

async function answerQuery(
  req: IncomingMessage,
  res: ServerResponse,
  options: HttpServerOptions,
  gates: Gates,
): Promise<void> {
  const request = parseRequest(req, randomUUID);
  res.setHeader('X-ClickHouse-Query-Id', request.queryId);
  res.setHeader('X-ClickHouse-Timezone', 'UTC');
  if (req.headers[SCRIPT_HEADER] === '1') {
    await answerScript(req, res, request, options, gates);
    return;
  }
  const statement = await readStatement(req, request);
  const bound = boundOf(request, options);
  const { sql, insert } = statement;
  if (insert !== undefined) {
    // These go on when the client leaves: they are repeated until they are known to be done.
    await gates.inserts.run({ asker: request.queryId }, async () => {
      if (req.socket.destroyed) return;
      const done = options.watch(bound);
      try {
        await answerInsert(req, res, request, insert, options);
      } finally {
        done();
      }
    });
    return;
  }
  const gone = new AbortController();
  const left = (): void => gone.abort(new Error('The client left'));
  if (req.socket.destroyed) return;
  res.once('close', left);
  const asker = req.headers[ASKER_HEADER];
  const waitMs = Number(req.headers[WAIT_HEADER] ?? NaN);
  try {
    await gates.reads.run(
      {
        asker: typeof asker === 'string' ? asker : NOBODY,
        weight: weightOf(request),
        waitMs: Number.isFinite(waitMs) ? waitMs : undefined,
        left: gone.signal,
      },
      async () => {
        const done = options.watch(bound);
        try {
          if (req.headers[STREAM_HEADER] === '1')
            await answerStream(res, request, sql, options.engine, gone.signal);
          else await answerRead(res, request, sql, options.engine, gone.signal);
        } finally {
          done();
        }
      },
    );
  } finally {
    res.off('close', left);
  }
}

/** What goes last in the engine is what looks at most. */
function weightOf({ settings }: EngineRequest): number {
  const priority = Number(settings.get('priority') ?? 1);
  return priority >= 1 ? Math.min(priority, HEAVIEST) : 1;
}

function boundOf(request: EngineRequest, options: HttpServerOptions): number {
  const bound = Number(request.settings.get('max_execution_time') ?? options.executionSeconds);
  return Number.isFinite(bound) ? bound : options.executionSeconds;
}

async function answerScript(
  req: IncomingMessage,
  res: ServerResponse,
  request: EngineRequest,
  options: HttpServerOptions,
  gates: Gates,
): Promise<void> {
  const name = req.headers[OUTBOX_HEADER];
  if (typeof name !== 'string') throw new EngineError(36, 'BAD_ARGUMENTS', 'A script needs an outbox file');
  const file = outboxFile(options.outboxDir, name);
  const script: Script = JSON.parse((await readAll(decodedBody(req), MAX_QUERY_BYTES)).toString('utf8'));
  const steps = script.steps.map((step) => ({ ...step, sql: inputFromFile(step.sql, file, 'Native') }));
  await gates.inserts.run({ asker: request.queryId }, async () => {
    const done = options.watch(boundOf(request, options));
    try {
      await options.engine.runScript(steps, request);
    } finally {
      done();
    }
  });
  res.writeHead(200).end();
}

interface Insert {
  readonly text: InsertText | InputText;
  /** Data that is still to be read, after what came with the text. */
  readonly body: Readable | undefined;
}

/** Takes the statement from URL and body the way the interface joins them. */
async function readStatement(
  req: IncomingMessage,
  request: EngineRequest,
): Promise<{ readonly sql: string; readonly insert: Insert | undefined }> {
  const body = decodedBody(req);
  if (request.queryInUrl !== undefined) {
    const text = splitInsert(request.queryInUrl);
    if (text !== undefined) return { sql: request.queryInUrl, insert: { text, body } };
    const input = splitInput(request.queryInUrl);
    if (input !== undefined) return { sql: request.queryInUrl, insert: { text: input, body } };
  }
  const text = (await readAll(body, MAX_QUERY_BYTES)).toString('utf8');
  const sql = request.queryInUrl === undefined ? text : `${request.queryInUrl}\n${text}`;
  if (sql.trim() === '') throw new EngineError(62, 'SYNTAX_ERROR', 'Empty query');
  const insert = splitInsert(sql);
  return { sql, insert: insert === undefined ? undefined : { text: insert, body: undefined } };
}

async function answerInsert(
  req: IncomingMessage,
  res: ServerResponse,
  request: EngineRequest,
  insert: Insert,
  options: HttpServerOptions,
): Promise<void> {
  const { text, body } = insert;
  const insertFile = (file: string): Promise<EngineResult> => {
    const sql = 'sql' in text ? inputFromFile(text.sql, file, text.format) : insertFromFile(text, file);
    return options.engine.run(sql, 'TabSeparated', request);
  };
  const left = req.headers[OUTBOX_HEADER];
  const result = await (typeof left === 'string'
    ? insertFile(outboxFile(options.outboxDir, left))
    : options.inbox.receive('sql' in text ? '' : text.data, body, insertFile));
  res.writeHead(200, {
    'X-ClickHouse-Summary': summary({
      elapsed_ns: Math.round(result.elapsedSeconds * 1e9),
    }),
  });
  res.end();
}

function outboxFile(dir: string, name: string): string {
  if (!/^[\w-]{1,64}$/.test(name)) throw new EngineError(36, 'BAD_ARGUMENTS', 'Not a name of an outbox file');
  return join(dir, name);
}

async function answerRead(
  res: ServerResponse,
  request: EngineRequest,
  sql: string,
  engine: Engine,
  signal?: AbortSignal,
): Promise<void> {
  const result = await engine.run(sql, request.defaultFormat, request, signal);
  res.writeHead(200, {
    'Content-Type': contentType(trailingFormat(sql) ?? request.defaultFormat),
    'X-ClickHouse-Format': trailingFormat(sql) ?? request.defaultFormat,
    'X-ClickHouse-Summary': summary({
      result_rows: result.rows,
      result_bytes: result.bytes.byteLength,
      elapsed_ns: Math.round(result.elapsedSeconds * 1e9),
    }),
  });
  res.end(result.bytes);
}

async function answerStream(
  res: ServerResponse,
  request: EngineRequest,
  sql: string,
  engine: Engine,
  signal: AbortSignal,
): Promise<void> {
  const format = trailingFormat(sql) ?? request.defaultFormat;
  if (!STREAMABLE.has(format)) {
    await answerRead(res, request, sql, engine, signal);
    return;
  }
  const tag = randomBytes(8).toString('hex');
  const begin = (): void => {
    res.writeHead(200, {
      'Content-Type': contentType(format),
      'X-ClickHouse-Format': format,
      'X-ClickHouse-Exception-Tag': tag,
    });
  };
  try {
    await engine.stream(
      sql,
      format,
      request,
      async (bytes) => {
        if (res.destroyed) return 'stop';
        if (!res.headersSent) begin();
        // The chunk's memory belongs to the engine's result: copied before the next one replaces it.
        if (!res.write(Buffer.from(bytes))) await drained(res);
        return res.destroyed ? 'stop' : 'more';
      },
      signal,
    );
    if (!res.headersSent) begin();
    res.end();
  } catch (error) {
    if (!res.headersSent) throw error;
    const text = `${EngineError.from(error).text}\n`;
    res.end(`\r\n__exception__\r\n${tag}\r\n${text}${Buffer.byteLength(text)} ${tag}\r\n__exception__\r\n`);
  }
}

/** Until the reader took what was written, or left. */
async function drained(res: ServerResponse): Promise<void> {
  const over = new AbortController();
  const { signal } = over;
  try {
    await Promise.race([once(res, 'drain', { signal }), once(res, 'close', { signal })]);
  } finally {
    // The one that did not happen would listen until the end, once for each chunk of a long result.
    over.abort();
  }
}

function sendError(req: IncomingMessage, res: ServerResponse, error: unknown, version: string): void {
  const { code, text } = EngineError.from(error);
  if (res.headersSent) {
    res.destroy();
    return;
  }
  res.writeHead(statusOf(code), {
    'Content-Type': 'text/plain; charset=UTF-8',
    'X-ClickHouse-Exception-Code': String(code),
    // An insert that failed before its data was read leaves bytes on the wire.
    ...(req.complete ? {} : { Connection: 'close' }),
  });
  res.end(`${text.trimEnd()} (version ${version})\n`);
}

async function readAll(body: Readable, limit: number): Promise<Buffer> {
  const chunks: Buffer[] = [];
  let bytes = 0;
  for await (const chunk of body) {
    const part: Buffer = chunk;
    bytes += part.length;
    if (bytes > limit) throw new EngineError(62, 'SYNTAX_ERROR', 'The query text is too long');
    chunks.push(part);
  }
  return Buffer.concat(chunks);
}

/** Only what is known: the library does not tell rows read from storage or written. */
function summary(fields: Record<string, number>): string {
  return JSON.stringify(
    Object.fromEntries(Object.entries(fields).map(([key, value]) => [key, String(value)])),
  );
}

function contentType(format: string): string {
  if (format.startsWith('JSON')) return 'application/json; charset=UTF-8';
  if (format.startsWith('CSV')) return 'text/csv; charset=UTF-8';
  if (format.startsWith('T')) return 'text/tab-separated-values; charset=UTF-8';
  return 'application/octet-stream';
}
