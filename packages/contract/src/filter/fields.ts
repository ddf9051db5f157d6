import { type KeyField, keyField } from './keys.ts';
import { RECORDS, type RecordKind } from './records.ts';
import { SEVERITIES } from './severities.ts';

/** `text` fields are searched by words; `enum` takes one of `values`; `duration` is milliseconds, `bytes` bytes. */
export type FieldType = 'string' | 'text' | 'enum' | 'number' | 'duration' | 'bytes' | 'boolean';

export interface FieldDefinition {
  readonly type: FieldType;
  readonly signals: readonly RecordKind[];
  readonly description: string;
  readonly aliases?: readonly string[];
  /** What an `enum` may be. */
  readonly values?: readonly string[];
  /** The values of an `enum` go up in the order given: it takes `>`, `>=`, `<`, `<=` too. */
  readonly ordered?: true;
}

const ALL = Object.keys(RECORDS) as readonly RecordKind[];
const SPANS: readonly RecordKind[] = ['spans'];
const GEN_AI: readonly RecordKind[] = ['spans', 'logs'];
const TRACED: readonly RecordKind[] = ['spans', 'logs', 'exceptions'];

/** The short names a filter may use. Everything else is `attributes.<key>`, `resource.<key>` or `scope.<key>`. */
export const FIELDS = {
  service: { type: 'string', signals: ALL, description: 'Service that sent the record' },
  environment: { type: 'string', signals: ALL, aliases: ['env'], description: 'Environment' },
  name: { type: 'string', signals: ['spans', 'exceptions'], description: 'Span name' },
  kind: {
    type: 'enum',
    signals: SPANS,
    values: ['internal', 'server', 'client', 'producer', 'consumer', 'unspecified'],
    description: 'Span kind',
  },
  status: { type: 'enum', signals: SPANS, values: ['ok', 'error', 'unset'], description: 'Span status' },
  status_message: { type: 'string', signals: SPANS, description: 'Message of the span status' },
  duration_ms: {
    type: 'duration',
    signals: SPANS,
    aliases: ['duration'],
    description: 'Duration of the span, e.g. duration>2s; one that still runs has none',
  },
  trace_id: { type: 'string', signals: TRACED, aliases: ['trace'], description: 'Trace id' },
  span_id: { type: 'string', signals: TRACED, aliases: ['span'], description: 'Span id' },
  root: { type: 'boolean', signals: SPANS, description: 'True for spans without a parent' },
  model: { type: 'string', signals: TRACED, description: 'Model that answered, else the one asked for' },
  base_model: {
    type: 'string',
    signals: GEN_AI,
    description: 'Model without its build, date and route: failed and answered calls under one name',
  },
  request_model: { type: 'string', signals: GEN_AI, description: 'Model requested' },
  response_model: { type: 'string', signals: GEN_AI, description: 'Model that answered' },
  provider: { type: 'string', signals: TRACED, description: 'GenAI provider' },
  operation: { type: 'string', signals: GEN_AI, description: 'GenAI operation: chat, embeddings, ...' },
  session: { type: 'string', signals: TRACED, description: 'Session or conversation id' },
  user: { type: 'string', signals: TRACED, description: 'End user id' },
  agent: { type: 'string', signals: TRACED, description: 'Agent name' },
  agent_version: {
    type: 'string',
    signals: SPANS,
    description: "Fingerprint of an agent's prompt, tools, model and settings",
  },
  tool: { type: 'string', signals: TRACED, description: 'Tool name' },
  workflow: { type: 'string', signals: SPANS, description: 'Workflow name' },
  prompt_name: { type: 'string', signals: SPANS, description: 'Name of the managed prompt' },
  prompt_version: { type: 'string', signals: SPANS, description: 'Version of the managed prompt' },
  finish_reason: { type: 'string', signals: SPANS, description: 'Why the model stopped' },
  convention: { type: 'string', signals: GEN_AI, description: 'GenAI convention the record follows' },
  cost: { type: 'number', signals: GEN_AI, description: 'Cost in USD' },
  input_tokens: { type: 'number', signals: GEN_AI, description: 'Input tokens, cached ones included' },
  output_tokens: { type: 'number', signals: GEN_AI, description: 'Output tokens, reasoning included' },
  ttft_ms: { type: 'duration', signals: SPANS, aliases: ['ttft'], description: 'Time to the first token' },
  error_type: { type: 'string', signals: TRACED, description: 'Error type' },
  scope_name: { type: 'string', signals: ['spans', 'logs', 'metrics'], description: 'Instrumentation scope' },
  prompt: { type: 'text', signals: SPANS, description: 'Words sent to the model' },
  completion: { type: 'text', signals: SPANS, description: 'Words the model answered' },
  user_said: { type: 'text', signals: SPANS, description: 'Words of messages of the user' },
  assistant_said: { type: 'text', signals: SPANS, description: 'Words of messages of the assistant' },
  system_prompt: { type: 'text', signals: SPANS, description: 'Words of the system prompt' },
  tool_result: { type: 'text', signals: SPANS, description: 'Words that tools gave back' },
  text: { type: 'text', signals: TRACED, description: 'Words anywhere in messages, names and bodies' },
  severity: {
    type: 'enum',
    signals: ['logs'],
    aliases: ['level'],
    values: SEVERITIES,
    ordered: true,
    description: 'Severity of the log record, e.g. severity>=warn',
  },
  severity_text: { type: 'string', signals: ['logs'], description: 'Severity as the sender spells it' },
  event: { type: 'string', signals: ['logs'], aliases: ['event_name'], description: 'Name of the event' },
  body: { type: 'text', signals: ['logs'], description: 'Words of the log body' },
  body_size: {
    type: 'bytes',
    signals: ['logs'],
    description: 'Size of the log body, e.g. body_size>10kB',
  },
  message: { type: 'text', signals: ['exceptions'], description: 'Words of the exception message' },
  fingerprint: {
    type: 'string',
    signals: ['exceptions'],
    description: 'Group that the exception belongs to',
  },
  metric: { type: 'string', signals: ['metrics'], description: 'Metric name' },
} as const satisfies Record<string, FieldDefinition>;

/** Whether the values of a field can be counted: of a number, and of words, nearly every row has another. */
export const isCountable = ({ type }: FieldDefinition): boolean =>
  type === 'string' || type === 'enum' || type === 'boolean';

export type FieldName = keyof typeof FIELDS;

export type ResolvedField =
  | { readonly kind: 'named'; readonly name: FieldName; readonly definition: FieldDefinition }
  | KeyField;

const BY_ANY_NAME: ReadonlyMap<string, FieldName> = new Map(
  (Object.keys(FIELDS) as FieldName[]).flatMap((name): [string, FieldName][] => {
    const definition: FieldDefinition = FIELDS[name];
    return [[name, name], ...(definition.aliases ?? []).map((alias): [string, FieldName] => [alias, name])];
  }),
);

/** What a field name means, or undefined when it is none. Named fields in any case; keys verbatim, whatever they contain. */
export function resolveField(field: string): ResolvedField | undefined {
  const name = BY_ANY_NAME.get(field) ?? BY_ANY_NAME.get(field.toLowerCase());
  if (name !== undefined) return { kind: 'named', name, definition: FIELDS[name] };
  return keyField(field);
}

const MOST_SUGGESTIONS = 3;

/** Names near to one that is no field, the nearest first: fields of the signal, or keys for a name with dots. */
export function suggestFields(field: string, signal?: RecordKind): string[] {
  const wanted = field.toLowerCase();
  const far = Math.max(2, Math.floor(wanted.length / 3));
  const near: { name: string; distance: number }[] = [];
  for (const [written, name] of BY_ANY_NAME) {
    const definition: FieldDefinition = FIELDS[name];
    if (signal !== undefined && !definition.signals.includes(signal)) continue;
    const part = wanted.length >= 3 && (written.includes(wanted) || wanted.includes(written));
    const distance = part ? Math.min(2, editDistance(wanted, written)) : editDistance(wanted, written);
    if (distance <= far && distance < Math.max(wanted.length, 2)) near.push({ name: written, distance });
  }
  near.sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1));
  const names = near.map(({ name }) => name);
  if (field.includes('.') && signal !== 'exceptions')
    names.unshift(`attributes.${field}`, `resource.${field}`);
  return [...new Set(names)].slice(0, MOST_SUGGESTIONS);
}

/** `a`, `a or b`, `a, b or c`. */
export function orList(names: readonly string[]): string {
  return names.length < 2 ? names.join('') : `${names.slice(0, -1).join(', ')} or ${names.at(-1)}`;
}

/** Letters to change, add or leave out. */
function editDistance(a: string, b: string): number {
  if (a.length > 40) return a.length;
  let row = Array.from({ length: b.length + 1 }, (_, index) => index);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const substitution = (row[j - 1] ?? 0) + (a[i - 1] === b[j - 1] ? 0 : 1);
      next.push(Math.min(substitution, (row[j] ?? 0) + 1, (next[j - 1] ?? 0) + 1));
    }
    row = next;
  }
  return row[b.length] ?? 0;
}
