import { type Clock, SCOPES } from '@candela/kernel';
import type { StoredOauthClient } from '@candela/metadata-store';
import { z } from 'zod';
import { guardedFetch } from '../../http/guarded-fetch.ts';

/** Bounds of a document: 5 kB are what the draft speaks of. */
const MAX_BYTES = 16_384;
const TIMEOUT_MS = 5_000;
const MAX_ID = 300;
/** How long a document counts, and how long a failure does: who comes again asks nobody again. */
const KEPT_MS = 600_000;
const FAILED_MS = 60_000;
const MOST_KEPT = 200;
/** Documents that may be asked for in a minute: whoever reaches the page of sign-in can name any. */
const PER_MINUTE = 30;

const LOOPBACK = /^http:\/\/(?:localhost|127\.0\.0\.1|\[::1\])(?::\d{1,5})?(?:\/|$)/;
const redirectUri = z
  .string()
  .max(1_000)
  .refine(
    (uri) => URL.canParse(uri) && !uri.includes('#') && (uri.startsWith('https://') || LOOPBACK.test(uri)),
  );
const documentSchema = z.object({
  client_id: z.string(),
  client_name: z
    .string()
    .trim()
    .min(1)
    .max(100)
    .regex(/^[^\p{Cc}\p{Cf}]*$/u)
    .optional(),
  redirect_uris: z.array(redirectUri).min(1).max(20),
  grant_types: z.array(z.string()).optional(),
  token_endpoint_auth_method: z.literal('none').default('none'),
  client_secret: z.undefined().optional(),
  scope: z.string().max(1_000).optional(),
});

/** Whether an application is named by the address of a document about it. */
export const isDocument = (id: string): boolean => {
  if (id.length > MAX_ID || !id.startsWith('https://') || !URL.canParse(id)) return false;
  const { href, username, password, hash, pathname } = new URL(id);
  // Written in one way alone: nobody is let in under a name that only looks like another's.
  return href === id && username === '' && password === '' && hash === '' && pathname !== '/';
};

export interface ClientDocuments {
  /** The application that a document describes; undefined: there is none, or none that can be read. */
  find(id: string): Promise<StoredOauthClient | undefined>;
}

function read(id: string, text: string): StoredOauthClient | undefined {
  const parsed = documentSchema.safeParse(JSON.parse(text));
  if (!parsed.success || parsed.data.client_id !== id) return undefined;
  const { client_name: name, redirect_uris, grant_types, scope } = parsed.data;
  if (grant_types?.includes('authorization_code') === false) return undefined;
  const asked = scope === undefined ? undefined : new Set(scope.split(' '));
  const refreshes = grant_types?.includes('refresh_token') ?? true;
  return {
    id,
    // Of nobody: who allows it says for which project.
    organisationId: '',
    projectId: '',
    // The host is what a person can judge; a name is what the document says.
    name: `${name ?? 'Application'} (${new URL(id).host})`,
    kind: 'public',
    secretHash: null,
    redirectUris: redirect_uris,
    grants: ['authorization_code', ...(refreshes ? ['refresh_token'] : [])],
    scopes: SCOPES.filter((each) => each !== 'ingest' && (asked === undefined || asked.has(each))),
    createdBy: null,
    createdAt: 0,
    lastUsedAt: null,
  };
}

/** Applications that nobody registered: their id is the address of a document (OAuth Client ID Metadata Document). */
export function createClientDocuments(
  clock: Clock,
  fetch: typeof globalThis.fetch = guardedFetch({ maxBytes: MAX_BYTES, publicOnly: true }),
): ClientDocuments {
  const kept = new Map<string, { readonly found: Promise<StoredOauthClient | undefined>; until: number }>();
  let asked = { minute: 0, count: 0 };

  async function load(id: string): Promise<StoredOauthClient | undefined> {
    const response = await fetch(id, {
      headers: { accept: 'application/json' },
      redirect: 'manual',
      signal: AbortSignal.timeout(TIMEOUT_MS),
    });
    return response.status === 200 ? read(id, await response.text()) : undefined;
  }

  return {
    async find(id) {
      if (!isDocument(id)) return undefined;
      const now = clock.now();
      const there = kept.get(id);
      if (there !== undefined && there.until > now) return there.found;
      const minute = Math.floor(now / 60_000);
      asked = { minute, count: asked.minute === minute ? asked.count + 1 : 1 };
      if (asked.count > PER_MINUTE) return undefined;
      kept.delete(id);
      const [oldest] = kept.keys();
      if (kept.size >= MOST_KEPT && oldest !== undefined) kept.delete(oldest);
      const entry = { found: load(id).catch(() => undefined), until: now + KEPT_MS };
      kept.set(id, entry);
      const found = await entry.found;
      if (found === undefined) entry.until = now + FAILED_MS;
      return found;
    },
  };
}
