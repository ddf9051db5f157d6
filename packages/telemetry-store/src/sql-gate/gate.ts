import type { TableReads } from '../client/types.ts';
import { StoreError } from '../client/errors.ts';
import { refuse } from './refusal.ts';
import { checkTree } from './tree.ts';

/** Bytes of a statement. */
const MAX_STATEMENT_BYTES = 8_192;

/** A statement that may be run behind the prelude. */
export interface GatedSql {
  /** As the engine formats it, on one line. */
  readonly canonical: string;
  /** Tables and CTEs that it selects from, by bare names. */
  readonly tables: ReadonlySet<string>;
}

/** Bounds of the gate's own two statements. */
const OWN = { timeoutMs: 5_000, maxMemoryBytes: 64 << 20 } as const;

/**
 * Whether a statement may be run: takes it apart as the engine does and compares every part with the lists.
 * @throws SqlRefusal which rule it breaks; store_unavailable, overloaded
 */
export async function gateSql(
  store: Pick<TableReads, 'read'>,
  text: string,
  signal?: AbortSignal,
): Promise<GatedSql> {
  const trimmed = text.trim().replace(/;\s*$/, '').trim();
  if (trimmed.includes('\0')) throw refuse('parse');
  if (trimmed === '' || Buffer.byteLength(trimmed) > MAX_STATEMENT_BYTES) throw refuse('size');
  const options = signal === undefined ? OWN : { ...OWN, signal };
  const { rows } = await store.read(
    'SELECT formatQuerySingleLineOrNull({text:String})',
    { text: trimmed },
    options,
  );
  const canonical = rows[0]?.[0];
  if (typeof canonical !== 'string') throw refuse('parse');
  if (!/^(SELECT|WITH)\b|^\(/.test(canonical)) throw refuse('not_select');
  // Formatted it may be longer, by far where it was written tightly.
  if (Buffer.byteLength(canonical) > MAX_STATEMENT_BYTES * 4) throw refuse('size');
  const lines = await treeOf(store, canonical, options);
  return { canonical, tables: checkTree(lines) };
}

async function treeOf(
  store: Pick<TableReads, 'read'>,
  canonical: string,
  options: typeof OWN & { readonly signal?: AbortSignal },
): Promise<string[]> {
  try {
    const { rows } = await store.read(`EXPLAIN AST ${canonical}`, {}, options);
    return rows.map(([line]) => String(line));
  } catch (thrown) {
    if (thrown instanceof StoreError && thrown.code === 'query_too_expensive') throw refuse('size');
    // A placeholder, for one: it formats, and has no value here.
    if (thrown instanceof StoreError && thrown.code !== 'overloaded') throw refuse('parse');
    throw thrown;
  }
}
