import type { Account } from '@candela/contract';
import { type Clock, fail, type RequestContext } from '@candela/kernel';
import type { MetadataStore, StoredUser } from '@candela/metadata-store';
import type { Handlers } from '../../../http/handlers.ts';
import { record } from '../../audit/service.ts';
import { cookieKinds, setCookie } from '../sessions/cookies.ts';
import { hashPassword, verifyPassword } from '../sign-in/passwords.ts';
import { type Sealer, secretPlace, takeCode } from '../sign-in/second-factor.ts';
import type { SignInThrottle } from '../sign-in/throttle.ts';
import { newRecoveryCodes, newTotp, totpStep } from '../sign-in/totp.ts';

type Names =
  | 'getAccount'
  | 'updateAccount'
  | 'changePassword'
  | 'startTotp'
  | 'confirmTotp'
  | 'newRecoveryCodes'
  | 'removeTotp'
  | 'listAccountSessions'
  | 'endAccountSession'
  | 'signOutEverywhere';

const MAX_SESSIONS = 100;
const iso = (ms: number): string => new Date(ms).toISOString();
const pendingPlace = (userId: string) => ({ table: 'users', column: 'totp_pending', id: userId });

/** The person behind a context of an account route; the permission has seen to it that there is one. */
function personOf({ principal }: RequestContext): { readonly id: string; readonly sessionId: string } {
  if (principal.kind !== 'user') throw fail('not_signed_in');
  return principal;
}

/** What people do with their own account. */
export function accountHandlers(parts: {
  readonly metadata: MetadataStore;
  readonly throttle: SignInThrottle;
  readonly sealer: Sealer;
  readonly clock: Clock;
  readonly publicUrl: string | undefined;
}): Pick<Handlers, Names> {
  const { metadata, throttle, sealer, clock } = parts;
  const cookie = cookieKinds(parts.publicUrl).session;

  async function userOf(context: RequestContext): Promise<StoredUser> {
    const user = await metadata.people.byId(personOf(context).id);
    if (user === undefined) throw fail('not_signed_in');
    return user;
  }

  /** The password, asked again: an open browser is not the person. */
  async function proven(context: RequestContext, password: string | undefined): Promise<StoredUser> {
    const user = await userOf(context);
    if (user.passwordHash === null) return user;
    throttle.account(user.email);
    if (!(await verifyPassword(password ?? '', user.passwordHash))) throw fail('wrong_password');
    return user;
  }

  async function show(id: string): Promise<{ data: Account }> {
    const user = await metadata.people.byId(id);
    if (user === undefined) throw fail('not_signed_in');
    return {
      data: {
        id: user.id,
        email: user.email,
        name: user.name,
        hasPassword: user.passwordHash !== null,
        totp: user.totpSecret !== null,
        recoveryCodesLeft: user.recoveryCodes.length,
        providers: await metadata.people.providersOf(user.id),
        createdAt: iso(user.createdAt),
      },
    };
  }

  /** One change of the account and its line in the audit log. */
  async function change(
    context: RequestContext,
    action: `account.${string}`,
    changes: Parameters<MetadataStore['people']['update']>[1],
  ): Promise<void> {
    const { id } = personOf(context);
    await metadata.change(undefined, async (repositories) => {
      await repositories.people.update(id, changes);
      await record(repositories, context, { action, objectKind: 'user', objectId: id });
    });
  }

  return {
    getAccount: ({ context }) => show(personOf(context).id),

    updateAccount: async ({ context, body }) => {
      await change(context, 'account.rename', { name: body.name });
      return show(personOf(context).id);
    },

    changePassword: async ({ context, body }) => {
      const user = await proven(context, body.currentPassword);
      const { sessionId } = personOf(context);
      const passwordHash = await hashPassword(body.newPassword);
      const signedOut = await metadata.change(undefined, async (repositories) => {
        const { people, sessions } = repositories;
        // Another change in between must not be undone by who knew the password before it.
        if ((await people.byId(user.id))?.passwordHash !== user.passwordHash) throw fail('wrong_password');
        await people.update(user.id, { passwordHash });
        const ended = await sessions.endAll(user.id, sessionId);
        await record(repositories, context, {
          action: 'account.change-password',
          objectKind: 'user',
          objectId: user.id,
          details: { sessionsEnded: ended },
        });
        return ended;
      });
      return { data: { signedOut } };
    },

    startTotp: async ({ context, body }) => {
      const user = await proven(context, body.password);
      if (user.totpSecret !== null)
        throw fail('conflict', { detail: 'A second factor is in force already.' });
      const { secret, uri } = await newTotp(user.email);
      const totpPending = sealer.seal(secret, pendingPlace(user.id));
      await change(context, 'account.begin-totp', { totpPending });
      return { data: { secret, uri } };
    },

    confirmTotp: async ({ context, body }) => {
      const user = await userOf(context);
      throttle.account(user.email);
      if (user.totpPending === null) throw fail('conflict', { detail: 'Begin the second factor first.' });
      const secret = sealer.open(user.totpPending, pendingPlace(user.id));
      const step = await totpStep(secret, body.code, clock.now());
      if (step === undefined || !(await metadata.people.takeTotpStep(user.id, step)))
        throw fail('wrong_code');
      const { codes, hashes } = newRecoveryCodes();
      await change(context, 'account.enable-totp', {
        totpSecret: sealer.seal(secret, secretPlace(user.id)),
        totpPending: null,
        recoveryCodes: hashes,
      });
      return { data: { recoveryCodes: codes } };
    },

    newRecoveryCodes: async ({ context, body }) => {
      const user = await proven(context, body.password);
      if (user.totpSecret === null) throw fail('conflict', { detail: 'There is no second factor.' });
      throttle.account(user.email);
      await takeCode(parts, user, body.code);
      const { codes, hashes } = newRecoveryCodes();
      await change(context, 'account.renew-codes', { recoveryCodes: hashes });
      return { data: { recoveryCodes: codes } };
    },

    removeTotp: async ({ context, body }) => {
      const user = await proven(context, body.password);
      if (user.totpSecret === null) throw fail('conflict', { detail: 'There is no second factor.' });
      throttle.account(user.email);
      await takeCode(parts, user, body.code);
      await change(context, 'account.disable-totp', {
        totpSecret: null,
        totpPending: null,
        recoveryCodes: [],
      });
      return show(user.id);
    },

    listAccountSessions: async ({ context }) => {
      const { id, sessionId } = personOf(context);
      const list = await metadata.sessions.list(id, MAX_SESSIONS);
      return {
        data: list.map((session) => ({
          id: session.id,
          current: session.id === sessionId,
          createdAt: iso(session.createdAt),
          lastSeenAt: iso(session.lastSeenAt),
          expiresAt: iso(session.expiresAt),
          address: session.address,
          userAgent: session.userAgent,
        })),
        nextCursor: null,
      };
    },

    endAccountSession: async ({ context, params }) => {
      const { id } = personOf(context);
      await metadata.change(undefined, async (repositories) => {
        await repositories.sessions.end(id, params.id);
        const entry = { action: 'session.end', objectKind: 'session', objectId: params.id } as const;
        await record(repositories, context, entry);
      });
      return { data: { id: params.id } };
    },

    signOutEverywhere: async ({ context, body, setCookie: add }) => {
      const { id, sessionId } = personOf(context);
      const signedOut = await metadata.change(undefined, async (repositories) => {
        const ended = await repositories.sessions.endAll(id, body.keepThis ? sessionId : undefined);
        await record(repositories, context, {
          action: 'session.end-all',
          objectKind: 'user',
          objectId: id,
          details: { sessionsEnded: ended },
        });
        return ended;
      });
      if (!body.keepThis) add(setCookie(cookie, undefined, 0));
      return { data: { signedOut } };
    },
  };
}
