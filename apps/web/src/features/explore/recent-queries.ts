import type { RecordKind } from '@candela/contract/filter';
import { type Preference, preference } from '../../lib/preference.ts';

const MOST = 8;
/** Longer searches are not worth a line of a menu. */
const LONGEST = 400;
const isText = (text: string): text is string => text.length < MOST * (LONGEST + 10);

const stores = new Map<RecordKind, Preference<string>>();
function storeOf(signal: RecordKind): Preference<string> {
  const known = stores.get(signal) ?? preference(`recent.${signal}`, '', isText);
  stores.set(signal, known);
  return known;
}

const listOf = (text: string): string[] => text.split('\n').filter((line) => line !== '');

/** Searches of this person on this machine, the latest first. */
export const recentQueries = (signal: RecordKind) => ({
  use: (): string[] => listOf(storeOf(signal).use()),
  remember(query: string): void {
    const line = query.trim();
    if (line === '' || line.length > LONGEST || line.includes('\n')) return;
    const store = storeOf(signal);
    store.set([line, ...listOf(store.get()).filter((one) => one !== line)].slice(0, MOST).join('\n'));
  },
});
