import { timingSafeEqual } from 'node:crypto';
import {
  type Clock,
  DEFAULT_ORGANISATION_ID,
  DEFAULT_PROJECT_ID,
  type Logger,
  type Role,
  type Scope,
  SCOPES,
} from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import { CredentialCache } from '../cache.ts';
import { LastSeenUpdates } from '../last-seen.ts';
import { sha256 } from './format.ts';

/** What a key may do and where. */
export interface KeyHolder {
  readonly id: string;
  /** What people call it. */
  readonly name?: string;
  readonly organisationId: string;
  readonly projectId: string;
  readonly scopes: ReadonlySet<Scope>;
  /** Null: all of the project. */
  readonly environments: readonly string[] | null;
  /** Epoch milliseconds; null: never. */
  readonly expiresAt: number | null;
  /** Of the person for whom an application acts. */
  readonly role?: Role;
}

export interface KeyLookup {
  /** The holder of a key that is in force; undefined: unknown, revoked or expired. */
  find(key: string): Promise<KeyHolder | undefined>;
  /** What was noted of their use is written. */
  settle(): Promise<void>;
}

/** Id of the key that the configuration gives. */
export const BOOTSTRAP_KEY_ID = 'bootstrap';
const MAX_CACHED = 10_000;
/** How exactly the last use of a key is known. */
const TOUCH_MS = 60_000;
const ALL_SCOPES: ReadonlySet<Scope> = new Set(SCOPES);

/**
 * Looks keys up, remembering what it found until the store says that keys or projects changed: a revoked key is
 * refused at once here, and within a second in other replicas.
 */
export function createKeyLookup(parts: {
  readonly metadata: Pick<MetadataStore, 'keys' | 'changes' | 'change'>;
  readonly bootstrapApiKey: string | undefined;
  readonly clock: Clock;
  readonly logger: Logger;
}): KeyLookup {
  const { metadata, clock, logger } = parts;
  const bootstrap =
    parts.bootstrapApiKey === undefined ? undefined : Buffer.from(sha256(parts.bootstrapApiKey));
  const cache = new CredentialCache<KeyHolder & { touchedAt: number }>(MAX_CACHED);
  const touches = new LastSeenUpdates(
    (notes) =>
      metadata.change(undefined, async (repositories) => {
        for (const [id, at] of notes) await repositories.keys.touch(id, at);
      }),
    logger,
  );
  metadata.changes.on(['api_keys', 'projects'], () => cache.forget());

  async function load(hash: string): Promise<(KeyHolder & { touchedAt: number }) | undefined> {
    const stored = await metadata.keys.byHash(hash);
    if (stored === undefined) return undefined;
    const { id, name, organisationId, projectId, environments, expiresAt, lastUsedAt } = stored;
    const scopes = new Set(stored.scopes);
    return {
      id,
      name,
      organisationId,
      projectId,
      scopes,
      environments,
      expiresAt,
      touchedAt: lastUsedAt ?? 0,
    };
  }

  return {
    settle: () => touches.settle(),
    async find(key) {
      const hash = sha256(key);
      const given = Buffer.from(hash);
      // Compared even when none is set, so that the time taken says nothing.
      if (timingSafeEqual(given, bootstrap ?? Buffer.alloc(given.length)) && bootstrap !== undefined) {
        return {
          id: BOOTSTRAP_KEY_ID,
          organisationId: DEFAULT_ORGANISATION_ID,
          projectId: DEFAULT_PROJECT_ID,
          scopes: ALL_SCOPES,
          environments: null,
          expiresAt: null,
        };
      }
      // Also what can be no key of ours: what is unknown, revoked or none at all costs the same work.
      const holder = await cache.get(hash, () => load(hash));
      const now = clock.now();
      if (holder === undefined || (holder.expiresAt !== null && holder.expiresAt <= now)) return undefined;
      if (now - holder.touchedAt >= TOUCH_MS) {
        holder.touchedAt = now;
        touches.note(holder.id, now);
      }
      return holder;
    },
  };
}
