import type { ExceptionGroup } from '@candela/contract';
import type { EventKind, Occurrence } from './kind.ts';

const DAY_MS = 86_400_000;
const MOST = 200;

const occurrence = (group: ExceptionGroup, what: 'new' | 'returned', at: number): Occurrence => ({
  key: what === 'new' ? `new:${group.fingerprint}` : `returned:${group.fingerprint}:${at}`,
  at,
  labels: [
    ['exception', group.type],
    ['service', group.service],
    ['what', what],
  ],
  text: `${what === 'new' ? 'New' : 'Returned'} exception ${group.type || 'without type'} in ${group.service}: ${group.message.slice(0, 300)}`,
  link: `/exceptions/${group.fingerprint}`,
});

/** Exceptions that were never seen before, or came back after days of silence. */
export const exception: EventKind<'exception'> = {
  mode: 'events',
  // One that came late is new all the same. A return is one of the window itself: its key holds when it was seen last.
  overlapMs: 600_000,
  async read(sources, { when, quietDays, q }, { context, from, to, since, signal }) {
    const search = (window: { from: number; to: number }, limit: number) =>
      sources.searchExceptions(
        context,
        {
          ...window,
          ...(q === undefined ? {} : { q }),
          sort: '-firstSeen',
          // Those that somebody ignores ring nobody.
          status: 'open',
          limit,
        },
        signal,
      );
    const { data } = await search({ from, to }, MOST);
    const seenAt = (group: ExceptionGroup) => Date.parse(group.firstSeen);
    const fresh = data.filter((group) => seenAt(group) >= from);
    const old = data.filter((group) => seenAt(group) < from && Date.parse(group.lastSeen) >= since);
    const found = when === 'returned' ? [] : fresh.map((group) => occurrence(group, 'new', seenAt(group)));
    if (when === 'new' || old.length === 0) return found;
    const quiet = await search({ from: since - quietDays * DAY_MS, to: since }, 500);
    const lately = new Set(quiet.data.map(({ fingerprint }) => fingerprint));
    const back = old.filter(({ fingerprint }) => !lately.has(fingerprint));
    return [...found, ...back.map((group) => occurrence(group, 'returned', Date.parse(group.lastSeen)))];
  },
};
