import { CandelaError } from '@candela/kernel';

/** What to do after a failed insert. `data`: the rows are at fault and will be at the next try as well. */
export type FailureKind = 'retry' | 'data';

/**
 * ClickHouse codes that say the bytes themselves are bad: unreadable or mismatching columns, values out of range,
 * sizes that disagree. All others (disk, memory, too many parts, a missing table, an absent engine) may pass.
 */
const DATA_CODES = new Set([
  6, 7, 8, 9, 12, 16, 20, 25, 26, 27, 32, 33, 34, 36, 38, 41, 50, 53, 69, 70, 72, 117, 128, 130, 131, 190,
  271, 321, 349, 432, 457, 467, 637, 691,
]);

/** Classifies what `insertNative` threw. */
export function classifyFailure(thrown: unknown): FailureKind {
  if (thrown instanceof CandelaError && thrown.code === 'store_unavailable') return 'retry';
  const code = clickhouseCode(thrown);
  return code !== undefined && DATA_CODES.has(code) ? 'data' : 'retry';
}

function clickhouseCode(thrown: unknown): number | undefined {
  if (typeof thrown !== 'object' || thrown === null) return undefined;
  const code: unknown = Reflect.get(thrown, 'clickhouseCode') ?? Reflect.get(thrown, 'code');
  if (typeof code === 'number') return code;
  return typeof code === 'string' && /^\d+$/.test(code) ? Number(code) : undefined;
}
