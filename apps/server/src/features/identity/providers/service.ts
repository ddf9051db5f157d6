import { randomBytes } from 'node:crypto';
import { CandelaError, type Clock, fail, type Logger } from '@candela/kernel';
import type { MetadataStore, StoredUser } from '@candela/metadata-store';
import { record } from '../../audit/service.ts';
import type { InvitationService } from '../invitations/service.ts';
import { randomBase62, sha256 } from '../keys/format.ts';
import { type Begun, MAX_ATTEMPTS, type SignInService, type Step, type Visitor } from '../sign-in/service.ts';
import type { SignInThrottle } from '../sign-in/throttle.ts';
import type { Journey, ProvenAccount, SignInProvider } from './provider.ts';

export interface ProviderService {
  readonly list: readonly { readonly id: string; readonly name: string }[];
  /** @throws not_found, provider_failed */
  start(
    visitor: Visitor,
    id: string,
    input: { readonly returnTo: string; readonly invitation?: string | undefined },
  ): Promise<{ readonly url: string; readonly attempt: Begun }>;
  /** @throws not_found, provider_failed, forbidden */
  finish(
    visitor: Visitor,
    id: string,
    attempt: string | undefined,
    search: string,
  ): Promise<{ readonly step: Step; readonly returnTo: string }>;
}

interface Remembered extends Journey {
  readonly provider: string;
  readonly returnTo: string;
  readonly invitation: string | null;
}

/** How long somebody may take to sign in elsewhere. */
const JOURNEY_MS = 15 * 60_000;
const TOKEN_CHARACTERS = 43;

export function createProviders(parts: {
  readonly providers: readonly SignInProvider[];
  readonly metadata: MetadataStore;
  readonly signIn: SignInService;
  readonly invitations: InvitationService;
  readonly throttle: SignInThrottle;
  /** Where people reach the platform. */
  readonly baseUrl: string;
  readonly clock: Clock;
  readonly logger: Logger;
}): ProviderService {
  const { metadata, signIn, invitations, throttle, clock, logger } = parts;

  function providerOf(id: string): SignInProvider {
    const provider = parts.providers.find((one) => one.id === id);
    if (provider === undefined) throw fail('not_found', { what: 'This way to sign in' });
    return provider;
  }

  async function asked<T>(provider: SignInProvider, work: () => Promise<T>): Promise<T> {
    try {
      return await work();
    } catch (thrown) {
      if (thrown instanceof CandelaError) throw thrown;
      // What it said may hold codes and tokens: the log gets the kind of failure, the person a sentence.
      const reason = thrown instanceof Error ? `${thrown.name}: ${thrown.message}`.slice(0, 300) : 'unknown';
      logger.warn({ provider: provider.id, reason }, 'sign-in at a provider failed');
      throw fail('provider_failed', {
        detail: `Sign-in with ${provider.name} did not work. Try again; if it stays so, ask who set it up.`,
      });
    }
  }

  const redirectUri = (id: string) => new URL(`/sign-in/${id}`, parts.baseUrl).href;

  /** Whose account here it is: linked before, or of the same verified address, or invited. @throws forbidden */
  async function accountOf(
    visitor: Visitor,
    provider: SignInProvider,
    proven: ProvenAccount,
    invitation: string | null,
  ): Promise<StoredUser> {
    const linked = await metadata.people.byIdentity(provider.id, proven.subject);
    if (linked !== undefined) return linked;
    const email = proven.email?.trim().toLowerCase();
    if (email === undefined || !proven.emailVerified) {
      throw fail('forbidden', {
        detail: `${provider.name} has not verified your e-mail address, so it cannot be told whose account here it is.`,
      });
    }
    const invited = invitation === null ? undefined : await invitations.find(invitation);
    const user = await metadata.change(undefined, async (repositories) => {
      const { people } = repositories;
      const existing = await people.byEmail(email);
      if (existing === undefined && invited?.email !== email) return undefined;
      const name = (proven.name ?? email).replaceAll(/[\p{Cc}<>]/gu, '').slice(0, 100);
      const account = existing ?? (await people.create({ email, name, passwordHash: null }));
      await people.link(account.id, provider.id, proven.subject);
      if (invited?.email === email && (await people.membershipOf(account.id)) === undefined) {
        await invitations.admit(repositories, visitor, invited, account);
      }
      const membership = await people.membershipOf(account.id);
      const actor = {
        ...visitor,
        principal: { kind: 'user', id: account.id },
        organisationId: membership?.organisationId ?? null,
        name: email,
      } as const;
      await record(repositories, actor, {
        action: 'account.link',
        objectKind: 'user',
        objectId: account.id,
        details: { provider: provider.id },
      });
      return account;
    });
    if (user !== undefined) return user;
    throw fail('forbidden', {
      detail:
        'There is no account here for your address. Ask an admin for an invitation, and open its link first.',
    });
  }

  return {
    list: parts.providers.map(({ id, name }) => ({ id, name })),

    async start(visitor, id, { returnTo, invitation }) {
      throttle.address(visitor.client.address);
      const provider = providerOf(id);
      const journey: Remembered = {
        provider: id,
        returnTo,
        invitation: invitation ?? null,
        state: randomBytes(32).toString('base64url'),
        nonce: randomBytes(32).toString('base64url'),
        codeVerifier: randomBytes(32).toString('base64url'),
      };
      const url = await asked(provider, () => provider.start(redirectUri(id), journey));
      const token = randomBase62(TOKEN_CHARACTERS);
      await metadata.sessions.beginAttempt(
        sha256(token),
        { kind: 'provider', payload: journey, expiresAt: clock.now() + JOURNEY_MS },
        MAX_ATTEMPTS,
      );
      return { url, attempt: { token, maxAgeSeconds: JOURNEY_MS / 1_000 } };
    },

    async finish(visitor, id, attempt, search) {
      throttle.address(visitor.client.address);
      const provider = providerOf(id);
      const hash = attempt === undefined ? undefined : sha256(attempt);
      const known = hash === undefined ? undefined : await metadata.sessions.attempt(hash);
      const journey = known?.kind === 'provider' ? (known.payload as Remembered) : undefined;
      // Once, and only for the provider and the browser it was begun with.
      if (hash === undefined || journey?.provider !== id || !(await metadata.sessions.endAttempt(hash))) {
        throw fail('provider_failed', {
          detail: 'This sign-in was begun elsewhere or too long ago. Begin again.',
        });
      }
      const callback = new URL(redirectUri(id));
      callback.search = search;
      const proven = await asked(provider, () => provider.finish(callback, journey));
      const user = await accountOf(visitor, provider, proven, journey.invitation);
      return { step: await signIn.proceed(visitor, user, provider.id), returnTo: journey.returnTo };
    },
  };
}
