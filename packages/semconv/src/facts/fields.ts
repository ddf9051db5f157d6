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
const RANKS = 64;

const isEmpty = (value: AttributeValue | undefined): boolean =>
  value === undefined || value === null || value === '' || (Array.isArray(value) && value.length === 0);

/** Compiles spellings into a reader. Later `FieldKeys` rank below earlier ones: own convention first, fallbacks after. */
export function compileFields(...specs: readonly FieldKeys[]): (attributes: AttributeReader) => FieldValues {
  const codes = new Map<string, number[]>();
  for (const [slot, field] of FIELDS.entries()) {
    const spellings = [...new Set(specs.flatMap((spec) => spec[field] ?? []))];
    if (spellings.length >= RANKS) throw new Error(`too many spellings of ${field}`);
    for (const [rank, key] of spellings.entries()) {
      codes.set(key, [...(codes.get(key) ?? []), slot * RANKS + rank]);
    }
  }
  return (attributes) => {
    const values: (AttributeValue | undefined)[] = FIELDS.map(() => undefined);
    const ranks = new Uint8Array(FIELDS.length).fill(RANKS);
    for (const key of attributes.keys()) {
      const found = codes.get(key);
      if (found === undefined) continue;
      let value: AttributeValue | undefined;
      let read = false;
      for (const code of found) {
        const slot = Math.floor(code / RANKS);
        const rank = code % RANKS;
        if (rank >= (ranks[slot] ?? 0)) continue;
        if (!read) {
          value = attributes.get(key);
          read = true;
        }
        if (isEmpty(value)) continue;
        ranks[slot] = rank;
        values[slot] = value;
      }
    }
    return new FieldValues(values);
  };
}
