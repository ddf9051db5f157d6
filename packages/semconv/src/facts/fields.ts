/**
 * Reads the promoted fields of one attribute set in a single pass over its keys, so that the cost follows the
 * number of attributes a span has and not the number of spellings we know.
 */
import type { AttributeReader, AttributeValue } from '../types.ts';

const FIELDS = [
  'kind',
  'operation',
  'provider',
  'requestModel',
  'responseModel',
  'responseId',
  'sessionId',
  'userId',
  'agentName',
  'toolName',
  'workflowName',
  'promptName',
  'promptVersion',
  'finishReason',
  'errorType',
  'inputTokens',
  'outputTokens',
  'totalTokens',
  'cacheReadTokens',
  'cacheWriteTokens',
  'reasoningTokens',
  'reasoningBesideTokens',
  'cacheWrite1hTokens',
  'cacheWrite5mTokens',
  'inputAudioTokens',
  'outputAudioTokens',
  'inputImageTokens',
  'outputImageTokens',
  'webSearches',
  'usageObject',
  'inputDetails',
  'outputDetails',
  'serviceTier',
  'serverAddress',
  'metadata',
  'costUsd',
  'firstTokenSeconds',
  'firstTokenMs',
] as const;

export type Field = (typeof FIELDS)[number];

/** Spellings of each field, best first. */
export type FieldKeys = { readonly [F in Field]?: readonly string[] };

/** What a pass found: the best-ranked value that is not empty. */
export class FieldValues {
  readonly #values: (AttributeValue | undefined)[];

  constructor(values: (AttributeValue | undefined)[]) {
    this.#values = values;
  }

  get(field: Field): AttributeValue | undefined {
    return this.#values[SLOT[field]];
  }
}

const SLOT = Object.fromEntries(FIELDS.map((field, index) => [field, index])) as Record<Field, number>;

const isEmpty = (value: AttributeValue | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Where a spelling belongs: its field, how good it is, and the next field it also belongs to. */
interface Place {
  readonly slot: number;
  readonly rank: number;
  readonly next: Place | undefined;
}

/** Compiles spellings into a reader. Later `FieldKeys` rank below earlier ones: own convention first, fallbacks after. */
export function compileFields(...specs: readonly FieldKeys[]): (attributes: AttributeReader) => FieldValues {
  const places = new Map<string, Place>();
  for (const [slot, field] of FIELDS.entries()) {
    const spellings = new Set(specs.flatMap((spec) => spec[field] ?? []));
    let rank = 0;
    for (const key of spellings) {
      places.set(key, { slot, rank: rank++, next: places.get(key) });
    }
  }
  // Filled anew by each call, which nothing interrupts: no call leaves anything behind but its own values.
  const ranks = new Uint8Array(FIELDS.length);
  return (attributes) => {
    const values: (AttributeValue | undefined)[] = NOTHING.slice();
    ranks.fill(UNSET);
    for (const key of attributes.keys()) {
      let place = places.get(key);
      if (place === undefined) continue;
      const value = attributes.get(key);
      if (isEmpty(value) || (key === THREAD && typeof value !== 'string')) continue;
      for (; place !== undefined; place = place.next) {
        if (place.rank >= (ranks[place.slot] ?? 0)) continue;
        ranks[place.slot] = place.rank;
        values[place.slot] = value;
      }
    }
    return new FieldValues(values);
  };
}

/** A conversation of some clients, in text; a number is a thread of the operating system, in OpenTelemetry's own words. */
const THREAD = 'thread.id';
const UNSET = 255;
const NOTHING: readonly (AttributeValue | undefined)[] = FIELDS.map(() => undefined);
