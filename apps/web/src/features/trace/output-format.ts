import type { SpanDetail } from '@candela/contract';

/** The form that a model call asks its answer to have. */
export interface OutputFormat {
  /** What the sender calls it: `json_schema`, `json_object`, or the name of the schema. Empty when it has no name. */
  readonly name: string;
  /** The schema, or else the whole setting, as JSON; empty when there is no more than a name. */
  readonly schema: string;
}

/** Attributes that hold the schema itself, and where its name stands. */
const SCHEMAS: readonly (readonly [string, string])[] = [
  ['gen_ai.request.structured_output_schema', ''],
  ['ai.schema', 'ai.schema.name'],
];
/** Attributes that hold the setting: a word, or JSON. */
const FORMATS = [
  'gen_ai.request.response_format',
  'gen_ai.openai.request.response_format',
  'openai.request.response_format',
];
/** Attributes that hold all settings of the call as JSON. */
const SETTINGS = ['llm.invocation_parameters', 'langfuse.observation.model.parameters', 'request_data'];
/** Longer settings are not read: they hold more than settings. */
const MOST_TEXT = 1 << 20;

/** What a call asked for beyond plain text, wherever its convention says so; undefined when it says nothing. */
export function outputFormat({ attributes }: Pick<SpanDetail, 'attributes'>): OutputFormat | undefined {
  const sent = new Map<string, unknown>(attributes.map(({ key, value }) => [key, value]));
  for (const [key, named] of SCHEMAS) {
    const schema = readJson(sent.get(key));
    if (isRecord(schema))
      return { name: textOf(sent.get(named)) || textOf(schema['title']), schema: print(schema) };
  }
  for (const key of FORMATS) {
    const format = formatOf(readJson(sent.get(key)));
    if (format) return format;
  }
  for (const key of SETTINGS) {
    const settings = readJson(sent.get(key));
    const format = isRecord(settings) ? formatIn(settings) : undefined;
    if (format) return format;
  }
  return undefined;
}

/** Where providers keep it: OpenAI (chat, Responses), Anthropic, Gemini, Ollama. */
function formatIn(settings: Readonly<Record<string, unknown>>): OutputFormat | undefined {
  const within = (key: string) => (isRecord(settings[key]) ? settings[key] : {});
  const gemini = {
    ...settings,
    ...within('config'),
    ...within('generation_config'),
    ...within('generationConfig'),
  };
  return (
    formatOf(settings['response_format']) ??
    formatOf(within('text')['format']) ??
    formatOf(within('output_config')['format']) ??
    formatOf(settings['output_format']) ??
    formatOf(gemini['response_schema'] ?? gemini['responseSchema'] ?? gemini['response_json_schema']) ??
    formatOf(settings['format'])
  );
}

function formatOf(value: unknown): OutputFormat | undefined {
  const name = textOf(value);
  if (name !== '') return name === 'text' ? undefined : { name, schema: '' };
  if (!isRecord(value) || value['type'] === 'text') return undefined;
  const inner = isRecord(value['json_schema']) ? value['json_schema'] : value;
  const schema = isRecord(inner['schema']) ? inner['schema'] : inner;
  const isBare = Object.keys(value).every((key) => key === 'type');
  return {
    name: textOf(inner['name']) || textOf(schema['title']) || textOf(value['type']),
    schema: isBare ? '' : print(schema),
  };
}

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === 'object' && value !== null && !Array.isArray(value);
const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');
const print = (schema: unknown): string => JSON.stringify(schema, null, 2);

function readJson(value: unknown): unknown {
  if (typeof value !== 'string' || value.length > MOST_TEXT || !/^\s*[{"]/.test(value)) return value;
  try {
    return JSON.parse(value);
  } catch {
    return undefined;
  }
}
