import { setTimeout as sleep } from 'node:timers/promises';
import { CandelaError } from '@candela/kernel';
import { type MetadataStore, SEALED_COLUMNS, type SealedColumn } from '@candela/metadata-store';
import type { Envelope } from './envelope.ts';

/** Texts of one transaction: it holds up whoever else writes. */
const AT_ONCE = 20;
/** Between two of them others get their turn, at least so long, milliseconds. */
const PAUSE_MS = 5;

/** A sealed text that none of the keys opens. */
export interface Unreadable {
  readonly table: string;
  readonly column: string;
  readonly id: string;
}

/**
 * Seals everything anew that another master key than the current one sealed, while everything goes on. A text that is
 * changed meanwhile is left to who changed it. Killed at any moment it leaves texts of both kinds, each of them whole.
 */
export async function resealAll(
  metadata: Pick<MetadataStore, 'change'>,
  envelope: Envelope,
): Promise<{ changed: number; unreadable: Unreadable[] }> {
  let changed = 0;
  const unreadable: Unreadable[] = [];
  for (const column of SEALED_COLUMNS) {
    let after: string | undefined;
    do {
      const began = performance.now();
      const done = await resealSome(metadata, envelope, { column, after });
      changed += done.changed;
      unreadable.push(...done.unreadable);
      after = done.next;
      if (after !== undefined) await sleep(Math.max(PAUSE_MS, performance.now() - began));
    } while (after !== undefined);
  }
  return { changed, unreadable };
}

async function resealSome(
  metadata: Pick<MetadataStore, 'change'>,
  envelope: Envelope,
  { column, after }: { readonly column: SealedColumn; readonly after: string | undefined },
): Promise<{ changed: number; unreadable: Unreadable[]; next: string | undefined }> {
  return metadata.change(undefined, async ({ sealed }) => {
    const texts = await sealed.others(column, envelope.keyId, { limit: AT_ONCE, after });
    const unreadable: Unreadable[] = [];
    let changed = 0;
    for (const text of texts) {
      const place = { table: column.table, column: column.column, id: text.id };
      const anew = rewrapped(envelope, text.text, place);
      if (anew === undefined) unreadable.push(place);
      else if (await sealed.swap(column, text, anew)) changed += 1;
    }
    return { changed, unreadable, next: texts.length === AT_ONCE ? texts.at(-1)?.id : undefined };
  });
}

function rewrapped(envelope: Envelope, text: string, place: Unreadable): string | undefined {
  try {
    return envelope.rewrap(text, place);
  } catch (thrown) {
    if (thrown instanceof CandelaError && thrown.code === 'secret_unreadable') return undefined;
    throw thrown;
  }
}
