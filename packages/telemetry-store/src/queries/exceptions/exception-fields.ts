import type { FieldName } from '@candela/contract';
import type { Params } from '../core/params.ts';
import { column, type Field, type Source } from '../core/source.ts';
import { containsText, hasWords } from '../core/words.ts';

const words = (text: string): Field => ({
  kind: 'words',
  together: true,
  exists: `${text} != ''`,
  words(wanted: string, params: Params) {
    return hasWords(`lower(${text})`, wanted, params) ?? this.contains(wanted.trim(), params);
  },
  contains: (wanted, params) => containsText(text, wanted, params),
  matches: (pattern, params) => `match(${text}, ${params.bind(pattern, 'String')})`,
});

type ExceptionField = Extract<
  FieldName,
  | 'service'
  | 'environment'
  | 'name'
  | 'trace_id'
  | 'span_id'
  | 'model'
  | 'provider'
  | 'session'
  | 'user'
  | 'agent'
  | 'tool'
  | 'error_type'
  | 'text'
  | 'message'
  | 'fingerprint'
>;

const EXCEPTION_FIELDS: Record<ExceptionField, Field> = {
  service: column('ServiceName'),
  environment: column('Environment'),
  name: column('SpanName'),
  trace_id: { kind: 'id', sql: 'TraceId' },
  span_id: { kind: 'id', sql: 'SpanId' },
  model: column('Model'),
  provider: column('GenAiProvider'),
  session: column('SessionId'),
  user: column('UserId'),
  agent: column('AgentName'),
  tool: column('ToolName'),
  error_type: column('Type'),
  text: words("concat(Type, ' ', Message)"),
  message: words('Message'),
  fingerprint: { kind: 'id', sql: "leftPad(lower(hex(Fingerprint)), 16, '0')" },
};

/** How many exceptions rows are: on a span by what tells them apart, without one each log record. */
export const COUNT_SQL = 'uniqExactIf(Occurrence, Records = 0) + sum(Records)';
/** How often these exceptions were recorded: never less than {@link COUNT_SQL}, and told without telling them apart. */
export const RECORDINGS_SQL = 'sum(greatest(Records, 1))';

/** Exceptions, a row a recording: rows of one `Occurrence` are one exception, but for `Records`. */
export const EXCEPTIONS: Source = {
  signal: 'exceptions',
  table: 'exceptions',
  time: 'Timestamp',
  fields: EXCEPTION_FIELDS,
  mapOf(source, key) {
    throw new RangeError(`Exceptions have no ${source}.${key}`);
  },
  pairs: new Map(),
};

/** When each group was first and last seen, in all that is kept. */
export const EXCEPTION_GROUPS: Source = { ...EXCEPTIONS, table: 'exception_groups', fields: {} };

/** A fingerprint as its 16 hex digits, and back as the number it is stored as. */
export const fingerprintOf = (stored: string): string => BigInt(stored).toString(16).padStart(16, '0');
export const storedFingerprint = (text: string): bigint => BigInt(`0x${text}`);
