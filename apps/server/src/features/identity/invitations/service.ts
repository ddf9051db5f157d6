import { IDENTITY_LIMITS, type Invitation, type Person } from '@candela/contract';
import {
  type Clock,
  DEFAULT_PROJECT_ID,
  fail,
  hasRole,
  type RequestContext,
  type Role,
} from '@candela/kernel';
import type { MetadataStore, Repositories, StoredInvitation, StoredUser } from '@candela/metadata-store';
import { record } from '../../audit/service.ts';
import { randomBase62, sha256 } from '../keys/format.ts';
import type { PersonView } from '../person-view.ts';
import type { SessionOwner } from '../sessions/service.ts';
import { hashPassword } from '../sign-in/passwords.ts';
import type { Begun, SignInService, Visitor } from '../sign-in/service.ts';
import type { SignInThrottle } from '../sign-in/throttle.ts';
import type { Mailer } from './mail.ts';

export interface InvitationService {
  create(
    context: RequestContext,
    inviter: Role,
    input: {
      readonly email: string;
      readonly role: Role;
      readonly projects?: readonly string[] | undefined;
      readonly expiresInHours: number;
    },
  ): Promise<{ readonly invitation: Invitation; readonly link: string; readonly mailed: boolean }>;
  /** @throws not_found */
  look(
    visitor: Visitor,
    token: string,
    person: SessionOwner | undefined,
  ): Promise<{
    organisation: string;
    email: string;
    role: Role;
    expiresAt: string;
    account: 'new' | 'sign-in' | 'ready';
  }>;
  accept(
    visitor: Visitor,
    input: {
      readonly token: string;
      readonly name?: string | undefined;
      readonly password?: string | undefined;
    },
    person: SessionOwner | undefined,
  ): Promise<{ readonly person: Person; readonly session: Begun | undefined }>;
  /** The invitation of a link, still in force. @throws not_found */
  find(token: string): Promise<StoredInvitation>;
  /** Lets an account in inside a change; the invitation is over. @throws not_found, conflict */
  admit(
    repositories: Repositories,
    visitor: Visitor,
    invitation: StoredInvitation,
    user: StoredUser,
  ): Promise<void>;
}

const TOKEN_CHARACTERS = 43;
const HOUR_MS = 3_600_000;
const gone = () => fail('not_found', { what: 'This invitation (it works once, until it expires)' });

export const showInvitation = (
  { id, email, role, projects, createdAt, expiresAt }: StoredInvitation,
  inviter: string | null,
): Invitation => ({
  id,
  email,
  role,
  projects: [...projects],
  invitedBy: inviter,
  createdAt: new Date(createdAt).toISOString(),
  expiresAt: new Date(expiresAt).toISOString(),
});

export function createInvitations(parts: {
  readonly metadata: MetadataStore;
  readonly signIn: SignInService;
  readonly throttle: SignInThrottle;
  readonly view: PersonView;
  readonly mailer: Mailer;
  /** Where people reach the platform. */
  readonly baseUrl: string;
  readonly clock: Clock;
}): InvitationService {
  const { metadata, signIn, throttle, view, mailer, clock } = parts;

  async function find(token: string): Promise<StoredInvitation> {
    const invitation = await metadata.invitations.byToken(sha256(token));
    if (invitation === undefined || invitation.expiresAt <= clock.now()) throw gone();
    return invitation;
  }

  async function admit(
    repositories: Repositories,
    visitor: Visitor,
    invitation: StoredInvitation,
    user: StoredUser,
  ): Promise<void> {
    const { people, invitations, projects } = repositories;
    const { organisationId, role } = invitation;
    if (!(await invitations.take(invitation.id))) throw gone();
    // Who invited may have been removed, or be less than they were.
    const inviter = await people.membershipOf(invitation.invitedBy);
    if (inviter?.organisationId !== organisationId || !hasRole(inviter.role, role)) throw gone();
    if ((await people.membershipOf(user.id)) !== undefined) {
      throw fail('conflict', { detail: 'This account belongs to an organisation already.' });
    }
    await people.join(organisationId, user.id, role);
    const there = new Set((await projects.list(organisationId)).map(({ id }) => id));
    for (const id of invitation.projects) if (there.has(id)) await projects.addMember(id, user.id);
    const actor = {
      ...visitor,
      principal: { kind: 'user', id: user.id },
      organisationId,
      name: user.email,
    } as const;
    await record(repositories, actor, {
      action: 'invitation.accept',
      objectKind: 'invitation',
      objectId: invitation.id,
      details: { email: user.email, role },
    });
  }

  return {
    find,
    admit,

    async create(context, inviter, { email, role, projects, expiresInHours }) {
      if (!hasRole(inviter, role)) {
        throw fail('refused', { detail: `You cannot invite somebody as ${role}: you are ${inviter}.` });
      }
      const token = randomBase62(TOKEN_CHARACTERS);
      const { organisationId, principal } = context;
      const userId = principal.kind === 'user' ? principal.id : '';
      const made = await metadata.change(undefined, async (repositories) => {
        const { people, invitations } = repositories;
        const existing = await people.byEmail(email);
        if (existing !== undefined && (await people.membershipOf(existing.id)) !== undefined) {
          throw fail('conflict', { detail: 'This address belongs to a member already.' });
        }
        if ((await invitations.count(organisationId)) >= IDENTITY_LIMITS.invitations) {
          throw fail('refused', { detail: 'There are too many open invitations. Take some back first.' });
        }
        const there = new Set((await repositories.projects.list(organisationId)).map(({ id }) => id));
        const wanted = [...new Set(projects ?? [DEFAULT_PROJECT_ID])];
        if (wanted.some((id) => !there.has(id))) throw fail('not_found', { what: 'The project' });
        const invitation = await invitations.create(sha256(token), {
          organisationId,
          email,
          role,
          projects: wanted,
          invitedBy: userId,
          expiresAt: clock.now() + expiresInHours * HOUR_MS,
        });
        await record(repositories, context, {
          action: 'invitation.create',
          objectKind: 'invitation',
          objectId: invitation.id,
          details: { email, role, projects: wanted },
        });
        const maker = await people.byId(userId);
        const organisation = (await repositories.projects.organisation(organisationId)).name;
        return { invitation, maker: maker?.email ?? null, organisation };
      });
      const link = new URL(`/invitation?token=${token}`, parts.baseUrl).href;
      const mailed = await mailer.invite({
        to: email,
        organisation: made.organisation,
        inviter: made.maker ?? 'An admin',
        link,
      });
      return { invitation: showInvitation(made.invitation, made.maker), link, mailed };
    },

    async look(visitor, token, person) {
      throttle.address(visitor.client.address);
      const { organisationId, email, role, expiresAt } = await find(token);
      const { name } = await metadata.projects.organisation(organisationId);
      const user = await metadata.people.byEmail(email);
      const account = user === undefined ? 'new' : user.id === person?.userId ? 'ready' : 'sign-in';
      return { organisation: name, email, role, expiresAt: new Date(expiresAt).toISOString(), account };
    },

    async accept(visitor, { token, name, password }, person) {
      throttle.address(visitor.client.address);
      const invitation = await find(token);
      const { email } = invitation;
      const existing = await metadata.people.byEmail(email);
      if (existing !== undefined) {
        // The link alone is not who was invited: it may have been passed on.
        if (existing.id !== person?.userId) throw fail('not_signed_in');
        await metadata.change(undefined, (repositories) =>
          admit(repositories, visitor, invitation, existing),
        );
        return { person: await view.person(existing.id), session: undefined };
      }
      if (name === undefined || password === undefined) {
        throw fail('refused', { detail: 'A new account needs a name and a password.' });
      }
      const passwordHash = await hashPassword(password);
      const { user, session } = await metadata.change(undefined, async (repositories) => {
        const made = await repositories.people.create({ email, name, passwordHash });
        await admit(repositories, visitor, invitation, made);
        return { user: made, session: await signIn.begin(repositories, visitor, made, 'invitation') };
      });
      return { person: await view.person(user.id), session };
    },
  };
}
