import {
  FIELDS,
  type Filter,
  type FilterCondition,
  type FilterScalar,
  type KeyField,
  parseGlob,
  resolveField,
  SEVERITIES,
} from '@candela/contract';
import { AGENT_VERSION } from '../../schema/expressions.ts';
import { UNFINISHED_FLAG } from '../../schema/tables.ts';
import type { QueryBench } from '../core/testing.ts';
import type { Window } from '../core/scope.ts';

/**
 * The rows of a project as they are stored (that they are stored as sent is tested with the writer), and what a filter
 * means for one of them, row by row. Nothing here is shared with the queries.
 */
export interface Row {
  readonly ns: bigint;
  readonly receivedMs: number;
  readonly environment: string;
  /** Values of named fields as text; '' where the row has none. */
  readonly text: Readonly<Record<string, string>>;
  /** Numbers of named fields in the unit of a filter. */
  readonly number: Readonly<Record<string, number | null>>;
  readonly attributes: ReadonlyMap<string, string>;
  readonly resource: ReadonlyMap<string, string>;
  readonly scope: ReadonlyMap<string, string>;
  /** Texts that are searched by words: all of them as one for `text`, one by one for the others. */
  readonly words: Readonly<Record<string, readonly string[]>>;
}

export interface SpanOf extends Row {
  readonly traceId: string;
  readonly spanId: string;
  readonly traceHash: bigint;
  readonly sessionHash: bigint;
  readonly userHash: bigint;
  readonly durationNs: bigint;
  readonly running: boolean;
  readonly counts: boolean;
  readonly tokens: Readonly<Record<'input' | 'read' | 'write' | 'output' | 'reasoning', number>>;
  readonly cost: number | null;
}

export interface LogOf extends Row {
  readonly observedNs: bigint;
  readonly body: string;
}

/** One recording of an exception; those of one `occurrence` are one exception. */
export interface ExceptionOf extends Row {
  readonly fingerprint: bigint;
  readonly occurrence: string;
  /** Log records without a span that it stands for: each is an exception of its own. */
  readonly records: number;
}

type Raw = Readonly<Record<string, string>> & {
  readonly CostUsd: number | null;
  readonly Ttft: number | null;
  readonly Numbers: readonly number[];
  readonly Maps: readonly Readonly<Record<string, string>>[];
};

const GEN_AI = `Environment, ServiceName, ScopeName, GenAiConvention, GenAiOperation, GenAiProvider, GenAiRequestModel,
  GenAiResponseModel, SessionId, UserId, AgentName, ToolName, ErrorType, TraceId, SpanId,
  toString(toUnixTimestamp64Nano(Timestamp)) AS Ns, toString(toUnixTimestamp64Milli(ReceivedAt)) AS ReceivedMs`;
const USED = 'InputTokens, CacheReadTokens, CacheWriteTokens, OutputTokens, ReasoningTokens, CountsUsage';

function common(raw: Raw): Row {
  const [input = 0, read = 0, write = 0, output = 0, reasoning = 0, counts = 0] = raw.Numbers;
  const used = counts === 1 || input + read + write + output + reasoning > 0;
  const { GenAiResponseModel: answered = '', GenAiRequestModel: asked = '' } = raw;
  return {
    ns: BigInt(raw['Ns'] ?? 0),
    receivedMs: Number(raw['ReceivedMs']),
    environment: raw['Environment'] ?? '',
    text: {
      service: raw['ServiceName'] ?? '',
      environment: raw['Environment'] ?? '',
      trace_id: raw['TraceId'] ?? '',
      span_id: raw['SpanId'] ?? '',
      model: answered === '' ? asked : answered,
      // The names of the traffic have no builds: lower case is all there is to it.
      base_model: (answered === '' ? asked : answered).toLowerCase(),
      request_model: asked,
      response_model: answered,
      provider: raw['GenAiProvider'] ?? '',
      operation: raw['GenAiOperation'] ?? '',
      session: raw['SessionId'] ?? '',
      user: raw['UserId'] ?? '',
      agent: raw['AgentName'] ?? '',
      tool: raw['ToolName'] ?? '',
      convention: raw['GenAiConvention'] ?? '',
      error_type: raw['ErrorType'] ?? '',
      scope_name: raw['ScopeName'] ?? '',
    },
    number: {
      cost: raw.CostUsd,
      input_tokens: used ? input + read + write : null,
      output_tokens: used ? output + reasoning : null,
    },
    attributes: new Map([raw.Maps[0], raw.Maps[3]].flatMap((map) => Object.entries(map ?? {}))),
    resource: new Map(Object.entries(raw.Maps[1] ?? {})),
    scope: new Map(Object.entries(raw.Maps[2] ?? {})),
    words: {},
  };
}

const ANSWERED = /output|completion|response|generated|\.answer/i;

/** All spans of a project. */
export async function readSpans(bench: QueryBench, project: string): Promise<SpanOf[]> {
  const raws = await bench.store.select<Raw>(
    `SELECT ${GEN_AI}, SpanName, lower(SpanKind) AS Kind, lower(StatusCode) AS Status, StatusMessage, ParentSpanId,
       toString(Duration) AS Length, WorkflowName, PromptName, PromptVersion, FinishReason, TimeToFirstTokenMs AS Ttft,
       toString(Flags) AS Bits, CostUsd, [${USED}] AS Numbers, ${AGENT_VERSION} AS Version,
       toString(cityHash64(TraceId)) AS TraceHash, toString(cityHash64(SessionId)) AS SessionHash,
       toString(cityHash64(UserId)) AS UserHash,
       [SpanAttributes, ResourceAttributes, ScopeAttributes, ContentAttributes] AS Maps
     FROM otel_traces WHERE ProjectId = {project:String}`,
    { project },
  );
  return raws.map((raw) => {
    const row = common(raw);
    const [input = 0, read = 0, write = 0, output = 0, reasoning = 0, counts = 0] = raw.Numbers;
    const content = Object.entries(raw.Maps[3] ?? {});
    const side = (answered: boolean) =>
      content.filter(([key]) => ANSWERED.test(key) === answered).map(([, text]) => text);
    const { SpanName: name = '', StatusMessage: said = '' } = raw;
    const running = Number(raw['Bits']) >= UNFINISHED_FLAG;
    return {
      ...row,
      text: {
        ...row.text,
        name,
        kind: raw['Kind'] ?? '',
        status: raw['Status'] ?? '',
        status_message: said,
        root: String(raw['ParentSpanId'] === ''),
        agent_version: raw['Version'] ?? '',
        workflow: raw['WorkflowName'] ?? '',
        prompt_name: raw['PromptName'] ?? '',
        prompt_version: raw['PromptVersion'] ?? '',
        finish_reason: raw['FinishReason'] ?? '',
      },
      number: { ...row.number, duration_ms: running ? null : Number(raw['Length']), ttft_ms: raw.Ttft },
      words: {
        prompt: side(false),
        completion: side(true),
        text: [name, said, ...content.map(([, text]) => text)],
      },
      traceId: raw['TraceId'] ?? '',
      spanId: raw['SpanId'] ?? '',
      traceHash: BigInt(raw['TraceHash'] ?? 0),
      sessionHash: BigInt(raw['SessionHash'] ?? 0),
      userHash: BigInt(raw['UserHash'] ?? 0),
      durationNs: BigInt(raw['Length'] ?? 0),
      running,
      counts: counts === 1,
      tokens: { input, read, write, output, reasoning },
      cost: raw.CostUsd,
    };
  });
}

const SEVERITY_TEXTS: readonly [RegExp, string][] = [
  [/^(?:trace|verbose|finest|finer|silly)/i, 'trace'],
  [/^(?:debug|dbg|fine|config)/i, 'debug'],
  [/^(?:info|notice|log|http|success)/i, 'info'],
  [/^(?:warn|wrn)/i, 'warn'],
  [/^(?:err|severe|fail)/i, 'error'],
  [/^(?:fatal|crit|alert|emerg|panic|dpanic)/i, 'fatal'],
];

/** All log records of a project. */
export async function readLogs(bench: QueryBench, project: string): Promise<LogOf[]> {
  const raws = await bench.store.select<Raw>(
    `SELECT ${GEN_AI}, SeverityText, EventName, Body, toString(toUnixTimestamp64Nano(ObservedTimestamp)) AS ObservedNs,
       CostUsd, [${USED}, SeverityNumber] AS Numbers, [LogAttributes, ResourceAttributes, ScopeAttributes] AS Maps
     FROM otel_logs WHERE ProjectId = {project:String}`,
    { project },
  );
  return raws.map((raw) => {
    const row = common(raw);
    const body = raw['Body'] ?? '';
    const said = raw['SeverityText'] ?? '';
    const level = raw.Numbers[6] ?? 0;
    const severity =
      level > 0
        ? (SEVERITIES[Math.ceil(level / 4)] ?? '')
        : (SEVERITY_TEXTS.find(([pattern]) => pattern.test(said))?.[1] ?? 'unset');
    return {
      ...row,
      text: { ...row.text, severity, severity_text: said, event: raw['EventName'] ?? '' },
      number: { ...row.number, body_size: Buffer.byteLength(body) },
      words: { body: [body], text: [body] },
      observedNs: BigInt(raw['ObservedNs'] ?? 0),
      body,
    };
  });
}

/** All recordings of exceptions of a project; how they come about is tested with the rollup. */
export async function readExceptions(bench: QueryBench, project: string): Promise<ExceptionOf[]> {
  const raws = await bench.store.select<Raw>(
    `SELECT Environment, ServiceName, SpanName, TraceId, SpanId, Model, GenAiProvider, SessionId, UserId, AgentName, ToolName,
       Type, Message, toString(toUnixTimestamp64Nano(Timestamp)) AS Ns, toString(Occurrence) AS Own,
       toString(Fingerprint) AS Print, toString(Records) AS Apart
     FROM exceptions WHERE ProjectId = {project:String}`,
    { project },
  );
  return raws.map((raw) => {
    const row = common({ ...raw, CostUsd: null, Ttft: null, Numbers: [], Maps: [] } as unknown as Raw);
    const { Model: model = '', Type: type = '', Message: message = '', Print: print = '0' } = raw;
    return {
      ...row,
      text: {
        ...row.text,
        model,
        name: raw['SpanName'] ?? '',
        error_type: type,
        fingerprint: BigInt(print).toString(16).padStart(16, '0'),
      },
      words: { message: [message], text: [`${type} ${message}`] },
      fingerprint: BigInt(print),
      occurrence: raw['Own'] ?? '',
      records: Number(raw['Apart']),
    };
  });
}

/** How many exceptions these recordings are. */
export const exceptionsIn = (rows: readonly ExceptionOf[]): number =>
  new Set(rows.flatMap(({ occurrence, records }) => (records === 0 ? [occurrence] : []))).size +
  rows.reduce((sum, { records }) => sum + records, 0);

const IDS = new Set(['trace_id', 'span_id', 'fingerprint']);

/** Whether a row fulfils a filter. */
export function fulfils(row: Row, filter: Filter | undefined): boolean {
  if (filter === undefined) return true;
  if ('and' in filter) return filter.and.every((part) => fulfils(row, part));
  if ('or' in filter) return filter.or.some((part) => fulfils(row, part));
  if ('not' in filter) return !fulfils(row, filter.not);
  const { op } = filter;
  if (op === '!=') return !meets(row, { ...filter, op: '=' });
  if (op === 'not_in') return !meets(row, { ...filter, op: 'in' });
  if (op === 'not_contains') return !meets(row, { ...filter, op: 'contains' });
  if (op === 'not_exists') return !meets(row, { ...filter, op: 'exists' });
  return meets(row, filter);
}

/** Rows of the model have no scores. */
const keyOf = (row: Row, { source, key }: KeyField): string | undefined =>
  source === 'score' ? undefined : row[source].get(key);

const list = (condition: FilterCondition): readonly FilterScalar[] =>
  Array.isArray(condition.value) ? condition.value : [condition.value as FilterScalar];

function meets(row: Row, condition: FilterCondition): boolean {
  const field = resolveField(condition.field);
  if (field === undefined) throw new RangeError(condition.field);
  if (field.kind === 'key') {
    const value = keyOf(row, field);
    if (value === undefined) return false;
    if (condition.op === 'exists') return true;
    return ORDERED.has(condition.op)
      ? ofNumber(numberOf(value), condition, 0)
      : ofText(value, condition, list(condition).map(String));
  }
  const { name } = field;
  const { type } = FIELDS[name];
  if (type === 'text') return ofWords(row.words[name] ?? [], name, condition);
  if (type === 'number' || type === 'duration' || type === 'bytes') {
    const value = row.number[name] ?? null;
    if (condition.op === 'exists') return value !== null;
    return ofNumber(value, condition, name === 'duration_ms' ? 6 : 0);
  }
  const value = row.text[name] ?? '';
  if (condition.op === 'exists') return value !== '';
  if (name === 'severity' && ORDERED.has(condition.op)) {
    const rank = (one: string) => (SEVERITIES as readonly string[]).indexOf(one);
    return ofNumber(rank(value), { ...condition, value: rank(String(condition.value)) }, 0);
  }
  const wanted = list(condition).map(String);
  const lower = IDS.has(name) && condition.op !== 'regex';
  return ofText(value, condition, lower ? wanted.map((one) => one.toLowerCase()) : wanted);
}

const ORDERED = new Set(['>', '>=', '<', '<=', 'between']);
const NUMBER = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

function numberOf(text: string): number | null {
  return NUMBER.test(text) && Number.isFinite(Number(text)) ? Number(text) : null;
}

/** A number with its decimal point moved: what multiplying by ten would be, were it exact. */
function shifted(value: number, digits: number): number {
  const [mantissa = '', exponent = '0'] = String(value).split('e');
  return Number(`${mantissa}e${Number(exponent) + digits}`);
}

function ofNumber(value: number | null, condition: FilterCondition, digits: number): boolean {
  if (value === null) return false;
  const [first = 0, second = 0] = list(condition).map((one) => shifted(Number(one), digits));
  switch (condition.op) {
    case '=':
      return value === first;
    case '>':
      return value > first;
    case '>=':
      return value >= first;
    case '<':
      return value < first;
    case '<=':
      return value <= first;
    case 'between':
      return value >= first && value <= second;
    default:
      return list(condition).some((one) => shifted(Number(one), digits) === value);
  }
}

function ofText(value: string, { op }: FilterCondition, wanted: readonly string[]): boolean {
  const [first = ''] = wanted;
  const low = value.toLowerCase();
  const part = first.toLowerCase();
  switch (op) {
    case '=':
      return value === first;
    case 'in':
      return wanted.includes(value);
    case 'contains':
      return low.includes(part);
    case 'starts_with':
      return low.startsWith(part);
    case 'ends_with':
      return low.endsWith(part);
    case 'matches':
      return fitsGlob(low, parseGlob(part));
    case 'regex':
      return regexOf(first).test(value);
    default:
      throw new RangeError(op);
  }
}

function regexOf(pattern: string): RegExp {
  const flagged = pattern.startsWith('(?i)');
  return new RegExp(flagged ? pattern.slice(4) : pattern, flagged ? 'isu' : 'su');
}

function fitsGlob(text: string, pieces: readonly string[]): boolean {
  const [first = '', ...rest] = pieces;
  if (rest.length === 0) return text === first;
  const last = rest.pop() ?? '';
  if (!text.startsWith(first) || text.length < first.length + last.length || !text.endsWith(last))
    return false;
  let left = text.slice(first.length, text.length - last.length);
  for (const piece of rest) {
    const at = left.indexOf(piece);
    if (at < 0) return false;
    left = left.slice(at + piece.length);
  }
  return true;
}

/** Runs of ASCII letters and digits and of all beyond ASCII, in any case; a new line may be escaped, as JSON has it. */
const tokens = (text: string): string[] =>
  [text, text.replaceAll(/\\[nt]/g, ' ')].flatMap((reading) =>
    reading
      .toLowerCase()
      .split(/[^a-z0-9\u0080-\u{10FFFF}]+/u)
      .filter((word) => word !== ''),
  );

function ofWords(texts: readonly string[], name: string, condition: FilterCondition): boolean {
  const { op } = condition;
  // Of `text` on a span name and status are no content.
  const content = name === 'text' && texts.length > 1 ? texts.slice(2) : texts;
  if (op === 'exists') return content.length > 1 || (content[0] ?? '') !== '';
  const wanted = String(condition.value);
  if (op === 'regex') return texts.some((text) => regexOf(wanted).test(text));
  const holds = (needle: string) => texts.some((text) => text.toLowerCase().includes(needle.toLowerCase()));
  if (op === 'contains') return holds(wanted);
  const all = tokens(wanted);
  if (all.length === 0) return holds(wanted.trim());
  const has = (text: string) => {
    const known = new Set(tokens(text));
    return all.every((word) => known.has(word));
  };
  return name === 'text' ? has(texts.join(' ')) : texts.some(has);
}

/** What people ask for: a project or an environment of it, a window, a filter. */
export interface Asked {
  readonly environment: string | undefined;
  readonly window: Window;
  readonly filter: Filter | undefined;
}

export const inWindow = ({ ns }: Pick<Row, 'ns'>, { from, to }: Window): boolean => ns >= from && ns < to;

/** The rows of a question. */
export const matching = <R extends Row>(rows: readonly R[], { environment, window, filter }: Asked): R[] =>
  rows.filter(
    (row) =>
      (environment === undefined || row.environment === environment) &&
      inWindow(row, window) &&
      fulfils(row, filter),
  );

/** Compares as the store orders texts: by their bytes. */
export const byBytes = (a: string, b: string): number => Buffer.compare(Buffer.from(a), Buffer.from(b));

/** Compares by the first of several keys that differs. */
export function byKeys(
  a: readonly (bigint | number | string)[],
  b: readonly (bigint | number | string)[],
): number {
  for (const [index, one] of a.entries()) {
    const other = b[index] ?? '';
    if (typeof one === 'string' && typeof other === 'string') {
      const order = byBytes(one, other);
      if (order !== 0) return order;
    } else if (one !== other) return one < other ? -1 : 1;
  }
  return 0;
}

/** The value of a field as it is grouped by and shown; '' where the row has none. */
export function shownOf(row: Row, name: string): string {
  const field = resolveField(name);
  if (field === undefined) throw new RangeError(name);
  return (field.kind === 'key' ? keyOf(row, field) : row.text[field.name]) ?? '';
}
