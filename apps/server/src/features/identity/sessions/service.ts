import type { Clock, Logger, Role } from '@candela/kernel';
import type { MetadataStore, Repositories } from '@candela/metadata-store';
import { CredentialCache } from '../cache.ts';
import { randomBase62, sha256 } from '../keys/format.ts';
import { LastSeenUpdates } from '../last-seen.ts';

/** Who a session is, at this moment. */
export interface SessionOwner {
  readonly sessionId: string;
  readonly userId: string;
  readonly email: string;
  readonly membership: { readonly organisationId: string; readonly role: Role } | undefined;
}

export interface SessionConfig {
  /** A session that was not used for this long has ended. */
  readonly sessionIdleMs: number;
  /** The end of a session however much it is used. */
  readonly sessionLifetimeMs: number;
}

export interface SessionService {
  /**
   * The owner of a session that goes on; undefined: none, ended, signed out, or the account is gone. Asking counts as
   * use, unless it is `unattended`.
   */
  find(token: string, unattended?: boolean): Promise<SessionOwner | undefined>;
  /** What was noted of their use is written. */
  settle(): Promise<void>;
  /** Begins one inside a change; the token goes into the cookie and nowhere else. */
  begin(
    repositories: Repositories,
    from: { readonly userId: string; readonly address: string; readonly userAgent: string },
  ): Promise<{ readonly token: string; readonly maxAgeSeconds: number }>;
}

const MAX_CACHED = 10_000;
const TOUCH_MS = 60_000;
/** Sessions one person may have; the ones longest unused end. */
const KEPT = 50;
const TOKEN_CHARACTERS = 43;
const MAX_USER_AGENT = 300;

export function createSessions(parts: {
  readonly metadata: Pick<MetadataStore, 'sessions' | 'changes' | 'change'>;
  readonly config: SessionConfig;
  readonly clock: Clock;
  readonly logger: Logger;
}): SessionService {
  const { metadata, config, clock, logger } = parts;
  type Known = SessionOwner & { readonly expiresAt: number; seenAt: number };
  const cache = new CredentialCache<Known>(MAX_CACHED);
  const touches = new LastSeenUpdates(
    (notes) =>
      metadata.change(undefined, async (repositories) => {
        for (const [id, at] of notes) await repositories.sessions.touch(id, at);
      }),
    logger,
  );
  metadata.changes.on(['sessions', 'users', 'memberships'], () => cache.forget());

  async function load(hash: string): Promise<Known | undefined> {
    const found = await metadata.sessions.byToken(hash);
    if (found === undefined) return undefined;
    const { session, email, membership } = found;
    return {
      sessionId: session.id,
      userId: session.userId,
      email,
      membership,
      expiresAt: session.expiresAt,
      seenAt: session.lastSeenAt,
    };
  }

  return {
    settle: () => touches.settle(),

    async find(token, unattended = false) {
      const hash = sha256(token);
      const now = clock.now();
      const ended = (known: Known) => known.expiresAt <= now || known.seenAt + config.sessionIdleMs <= now;
      let known = await cache.get(hash, () => load(hash));
      if (known !== undefined && ended(known)) {
        // Another replica may have seen it since.
        known = await load(hash);
        if (known !== undefined && ended(known)) return undefined;
      }
      if (known === undefined) return undefined;
      if (!unattended && now - known.seenAt >= TOUCH_MS) {
        known.seenAt = now;
        touches.note(known.sessionId, now);
      }
      return known;
    },

    async begin({ sessions }, { userId, address, userAgent }) {
      const token = randomBase62(TOKEN_CHARACTERS);
      const now = clock.now();
      await sessions.create(sha256(token), {
        userId,
        address,
        userAgent: userAgent.slice(0, MAX_USER_AGENT),
        expiresAt: now + config.sessionLifetimeMs,
      });
      await sessions.prune(userId, { unusedSince: now - config.sessionIdleMs, keep: KEPT });
      return { token, maxAgeSeconds: config.sessionLifetimeMs / 1_000 };
    },
  };
}
