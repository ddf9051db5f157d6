import { CandelaError, fail } from '@candela/kernel';
import type { Envelope } from '@candela/vault';

/** What an address of content is good for. */
export type MediaUse = 'upload' | 'download';

const LIVES_MS: Readonly<Record<MediaUse, number>> = { upload: 15 * 60_000, download: 3_600_000 };

/** Where the content of an item is sent to or read from, by whoever has the address, for a while. */
export interface MediaAddress {
  readonly url: string;
  /** Epoch milliseconds. */
  readonly until: number;
}

/**
 * Addresses that are a credential for one use of one item: the project is sealed within, so nothing of a request names
 * it. They live shorter than any master key.
 */
export function mediaAddresses(envelope: Pick<Envelope, 'seal' | 'open'>) {
  const placeOf = (use: MediaUse) => ({ table: 'media', column: use, id: 'address' });
  return {
    make(use: MediaUse, of: { readonly projectId: string; readonly id: string }, now: number, base: string) {
      const until = now + LIVES_MS[use];
      const token = envelope.seal(JSON.stringify([of.projectId, of.id, until]), placeOf(use));
      return {
        url: `${base}/api/public/media/${of.id}/content?token=${token}`,
        until,
      } satisfies MediaAddress;
    },

    /** The project whose item it is. @throws forbidden when it is none of ours for that use and item, or too old */
    read(use: MediaUse, token: string, id: string, now: number): string {
      try {
        const opened = JSON.parse(envelope.open(token, placeOf(use))) as [string, string, number];
        const [projectId, own, until] = opened;
        if (own === id && now < until) return projectId;
      } catch (thrown) {
        if (!(thrown instanceof CandelaError)) throw thrown;
      }
      throw fail('forbidden', {
        detail: 'This address is none of ours, or it is too old. Ask for a new one.',
      });
    },
  };
}
