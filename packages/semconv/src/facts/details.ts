/** Small objects of counts (`{"input":56,"cache_read_input_tokens":64}`, also as Python's `repr`) that some emitters put in one attribute. */
import { pythonValue } from '../content/python-repr.ts';
import type { AttributeValue } from '../types.ts';
import { numberOf } from './values.ts';

const MAX_LENGTH = 4096;
const MAX_ENTRIES = 64;

/**
 * Flat name to number, as reported: what is no plausible count is for the reader to judge. Nested objects are flattened
 * with `.`; unreadable or oversized values give an empty map.
 */
export function numberDetails(value: AttributeValue | undefined): ReadonlyMap<string, number> {
  const out = new Map<string, number>();
  if (value instanceof Map) {
    for (const [key, entry] of value) collect(out, String(key), entry, 0);
    return out;
  }
  if (typeof value !== 'string' || value.length > MAX_LENGTH) return out;
  const parsed = objectOf(value);
  if (parsed !== undefined) collect(out, '', parsed, 0);
  return out;
}

/** The object that a text is the JSON or the `repr` of. */
function objectOf(text: string): unknown {
  if (text.startsWith('{')) {
    try {
      return JSON.parse(text) as unknown;
    } catch {
      // Not JSON: it may be Python's.
    }
  }
  return pythonValue(text);
}

function collect(out: Map<string, number>, name: string, value: unknown, depth: number): void {
  if (out.size >= MAX_ENTRIES || depth > 3) return;
  if (typeof value === 'number' || typeof value === 'string' || typeof value === 'bigint') {
    const number = numberOf(value);
    if (number !== undefined) out.set(name, number);
    return;
  }
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return;
  const entries: Iterable<[string, unknown]> = value instanceof Map ? value : Object.entries(value);
  for (const [key, entry] of entries) collect(out, name === '' ? key : `${name}.${key}`, entry, depth + 1);
}

/** What an emitter reports of one call, before anything is checked. Values are as they came. */
export interface ReportedCounts {
  readonly input?: AttributeValue | undefined;
  readonly output?: AttributeValue | undefined;
  readonly total?: AttributeValue | undefined;
  readonly cacheRead?: AttributeValue | undefined;
  readonly cacheWrite?: AttributeValue | undefined;
  readonly cacheWrite1h?: AttributeValue | undefined;
  readonly cacheWrite5m?: AttributeValue | undefined;
  readonly reasoning?: AttributeValue | undefined;
  readonly inputAudio?: AttributeValue | undefined;
  readonly outputAudio?: AttributeValue | undefined;
  readonly inputImage?: AttributeValue | undefined;
  readonly outputImage?: AttributeValue | undefined;
  readonly webSearches?: AttributeValue | undefined;
}

type Reported = keyof ReportedCounts;

/** Classes by what their names have in common, first match wins. Names are compared in lower case without `_`, `-` and `.`. */
const CLASSES: readonly (readonly [RegExp, Reported])[] = [
  [/websearch|searchrequests|searchunits/, 'webSearches'],
  [/1h(our)?(input)?(tokens)?$|ephemeral1h|cachewrite1h/, 'cacheWrite1h'],
  [/5m(in)?(input)?(tokens)?$|ephemeral5m/, 'cacheWrite5m'],
  [/cache(creation|write|d?write)/, 'cacheWrite'],
  [/cache/, 'cacheRead'],
  [/reasoning|thoughts|thinking/, 'reasoning'],
  [/^(input|prompt).*audio|audio(input|prompt)/, 'inputAudio'],
  [/^(output|completion).*audio|audio(output|completion)/, 'outputAudio'],
  [/^(input|prompt).*image|image(input|prompt)/, 'inputImage'],
  [/^(output|completion).*image|image(output|completion)/, 'outputImage'],
  [/^total(tokens?)?(count)?$/, 'total'],
  [/^(input|prompt)(tokens?)?(count)?$/, 'input'],
  [/^(output|completion|candidates)(tokens?)?(count)?$/, 'output'],
];

/**
 * The counts of a usage object by class, whichever vendor's names it has: OpenAI's, Anthropic's, Gemini's, LangChain's,
 * LiteLLM's, Genkit's. @param side `input` or `output` of details that do not say it themselves
 */
export function countsOf(value: AttributeValue | undefined, side = ''): ReportedCounts | undefined {
  const details = numberDetails(value);
  if (details.size === 0) return undefined;
  const out: { -readonly [K in Reported]?: number } = {};
  for (const [name, number] of details) {
    const flat = side + name.toLowerCase().replaceAll(/[_.\s-]/g, '');
    const found = CLASSES.find(([pattern]) => pattern.test(flat))?.[1];
    if (found === undefined) continue;
    // The same count may stand at the top and among the details (LiteLLM): the larger is the whole.
    out[found] = Math.max(out[found] ?? number, number);
  }
  return out;
}
