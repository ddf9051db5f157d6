import type { Person } from '@candela/contract';
import { type ClientOrigin, type Clock, DEFAULT_ORGANISATION_ID, fail } from '@candela/kernel';
import type { MetadataStore, Repositories, StoredUser } from '@candela/metadata-store';
import { record } from '../../audit/service.ts';
import { randomBase62, sha256 } from '../keys/format.ts';
import type { PersonView } from '../person-view.ts';
import type { SessionService } from '../sessions/service.ts';
import type { Devices } from './device.ts';
import { hashPassword, verifyPassword } from './passwords.ts';
import { type Sealer, takeCode } from './second-factor.ts';
import type { SignInThrottle } from './throttle.ts';

/** Where a call comes from that nobody is signed in for yet. */
export interface Visitor {
  readonly client: ClientOrigin;
  readonly requestId: string;
  /** Cookie of a browser in which somebody signed in before. */
  readonly device?: string | undefined;
}

/** A session that has begun; the token is for the cookie. */
export interface Begun {
  readonly token: string;
  readonly maxAgeSeconds: number;
}

/** Signed in, or past the password and asked for a code. */
export type Step =
  | { readonly next: 'done'; readonly session: Begun; readonly person: Person }
  | { readonly next: 'totp'; readonly attempt: Begun };

export interface SignInService {
  /** Makes a link that makes the first owner; undefined when there is one. */
  setupToken(): Promise<string | undefined>;
  /** Makes the first owner from the configuration; false when there is one. */
  adopt(owner: { readonly email: string; readonly password: string }): Promise<boolean>;
  setUp(
    visitor: Visitor,
    input: {
      readonly token: string;
      readonly email: string;
      readonly name: string;
      readonly password: string;
      readonly organisation?: string | undefined;
    },
  ): Promise<Step & { next: 'done' }>;
  signIn(visitor: Visitor, input: { readonly email: string; readonly password: string }): Promise<Step>;
  /** @throws not_signed_in when no first step was taken, or too long ago */
  code(visitor: Visitor, attempt: string | undefined, code: string): Promise<Step & { next: 'done' }>;
  /** After somebody proved who they are: a session, or the question for a code. */
  proceed(visitor: Visitor, user: StoredUser, method: string): Promise<Step>;
  /** Begins a session inside a change. */
  begin(repositories: Repositories, visitor: Visitor, user: StoredUser, method: string): Promise<Begun>;
}

export interface SignInParts {
  readonly metadata: MetadataStore;
  readonly sessions: SessionService;
  readonly view: PersonView;
  readonly throttle: SignInThrottle;
  readonly devices: Devices;
  readonly sealer: Sealer;
  readonly clock: Clock;
}

/** How long the second step may take. */
const ATTEMPT_MS = 5 * 60_000;
/** Sign-ins under way at once, everybody's together. */
export const MAX_ATTEMPTS = 10_000;
const TOKEN_CHARACTERS = 43;
/** Of links printed by earlier starts, so that those of all replicas work. */
const OLD_SETUP_LINKS = 9;

export function createSignIn(parts: SignInParts): SignInService {
  const { metadata, sessions, view, throttle, devices, clock } = parts;

  const trierOf = ({ client, device }: Visitor, email: string) => ({
    address: client.address,
    device: devices.find(device, email),
  });

  async function begin(
    repositories: Repositories,
    { client, requestId }: Visitor,
    user: StoredUser,
    method: string,
  ): Promise<Begun> {
    const membership = await repositories.people.membershipOf(user.id);
    const begun = await sessions.begin(repositories, {
      userId: user.id,
      address: client.address,
      userAgent: client.userAgent ?? '',
    });
    const actor = {
      principal: { kind: 'user', id: user.id },
      organisationId: membership?.organisationId ?? null,
      name: user.email,
      client,
      requestId,
    } as const;
    await record(repositories, actor, {
      action: 'session.sign-in',
      objectKind: 'user',
      objectId: user.id,
      details: { method },
    });
    return begun;
  }

  async function done(visitor: Visitor, user: StoredUser, method: string): Promise<Step & { next: 'done' }> {
    const session = await metadata.change(undefined, async (repositories) => {
      const now = await repositories.people.byId(user.id);
      // A password changed or an account removed in this very moment.
      if (now === undefined || now.passwordHash !== user.passwordHash) throw fail('wrong_password');
      return begin(repositories, visitor, now, method);
    });
    return { next: 'done', session, person: await view.person(user.id) };
  }

  async function refused({ client, requestId }: Visitor, email: string, user: StoredUser | undefined) {
    const membership = user === undefined ? undefined : await metadata.people.membershipOf(user.id);
    await metadata.change(undefined, (repositories) =>
      record(
        repositories,
        {
          principal: { kind: 'anonymous' },
          organisationId: membership?.organisationId ?? null,
          client,
          requestId,
        },
        {
          action: 'session.refuse',
          objectKind: 'user',
          objectId: user?.id ?? null,
          details: { email },
        },
      ),
    );
  }

  async function proceed(visitor: Visitor, user: StoredUser, method: string): Promise<Step> {
    if (user.totpSecret === null) return done(visitor, user, method);
    const token = randomBase62(TOKEN_CHARACTERS);
    const attempt = {
      kind: 'totp',
      payload: { userId: user.id, method },
      expiresAt: clock.now() + ATTEMPT_MS,
    } as const;
    await metadata.sessions.beginAttempt(sha256(token), attempt, MAX_ATTEMPTS);
    return { next: 'totp', attempt: { token, maxAgeSeconds: ATTEMPT_MS / 1_000 } };
  }

  async function makeOwner(
    { people }: Repositories,
    owner: { readonly email: string; readonly name: string; readonly passwordHash: string },
  ): Promise<StoredUser> {
    const user = await people.create(owner);
    await people.join(DEFAULT_ORGANISATION_ID, user.id, 'owner');
    return user;
  }

  return {
    proceed,
    begin,

    async setupToken() {
      const token = randomBase62(TOKEN_CHARACTERS);
      return metadata.change(undefined, async ({ people, invitations }) => {
        if (await people.isOwned()) return undefined;
        await invitations.addSetupLink(sha256(token), OLD_SETUP_LINKS);
        return token;
      });
    },

    async adopt({ email, password }) {
      if (await metadata.people.isOwned()) return false;
      const passwordHash = await hashPassword(password);
      return metadata.change(undefined, async (repositories) => {
        if (await repositories.people.isOwned()) return false;
        const name = email.split('@', 1)[0] ?? email;
        const user = await makeOwner(repositories, { email, name, passwordHash });
        await repositories.invitations.endSetupLinks();
        const actor = {
          principal: { kind: 'system' },
          organisationId: DEFAULT_ORGANISATION_ID,
          requestId: 'start',
        } as const;
        await record(repositories, actor, {
          action: 'installation.adopt',
          objectKind: 'user',
          objectId: user.id,
          details: { email },
        });
        return true;
      });
    },

    async setUp(visitor, { token, email, name, password, organisation }) {
      throttle.address(visitor.client.address);
      if (!(await metadata.invitations.hasSetupLink(sha256(token)))) {
        throw fail('not_found', { what: 'This setup link (it works once; a new start prints a new one)' });
      }
      const passwordHash = await hashPassword(password);
      const { user, session } = await metadata.change(undefined, async (repositories) => {
        const { people, invitations, projects } = repositories;
        if (await people.isOwned()) {
          throw fail('conflict', { detail: 'This installation has an owner already. Sign in.' });
        }
        if (!(await invitations.hasSetupLink(sha256(token)))) {
          throw fail('not_found', { what: 'This setup link' });
        }
        const made = await makeOwner(repositories, { email, name, passwordHash });
        await invitations.endSetupLinks();
        if (organisation !== undefined) {
          await projects.renameOrganisation(DEFAULT_ORGANISATION_ID, organisation);
        }
        const begun = await begin(repositories, visitor, made, 'setup link');
        const actor = {
          ...visitor,
          principal: { kind: 'user', id: made.id },
          organisationId: DEFAULT_ORGANISATION_ID,
          name: email,
        } as const;
        await record(repositories, actor, {
          action: 'installation.set-up',
          objectKind: 'user',
          objectId: made.id,
          details: { email },
        });
        return { user: made, session: begun };
      });
      return { next: 'done', session, person: await view.person(user.id) };
    },

    async signIn(visitor, { email, password }) {
      throttle.password(email, trierOf(visitor, email));
      const user = await metadata.people.byEmail(email);
      if (!(await verifyPassword(password, user?.passwordHash ?? null)) || user === undefined) {
        await refused(visitor, email, user);
        throw fail('wrong_password');
      }
      return proceed(visitor, user, 'password');
    },

    async code(visitor, attempt, code) {
      const hash = attempt === undefined ? undefined : sha256(attempt);
      const known = hash === undefined ? undefined : await metadata.sessions.attempt(hash);
      const payload =
        known?.kind === 'totp' ? (known.payload as { userId: string; method: string }) : undefined;
      const user = payload === undefined ? undefined : await metadata.people.byId(payload.userId);
      if (hash === undefined || payload === undefined || user === undefined) {
        throttle.address(visitor.client.address);
        throw fail('not_signed_in');
      }
      throttle.code(user.email, trierOf(visitor, user.email));
      let factor: string;
      try {
        factor = await takeCode(parts, user, code);
      } catch (thrown) {
        await refused(visitor, user.email, user);
        throw thrown;
      }
      if (!(await metadata.sessions.endAttempt(hash))) throw fail('not_signed_in');
      return done(visitor, user, `${payload.method} and ${factor}`);
    },
  };
}
