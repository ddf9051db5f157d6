import type { Member } from '@candela/contract';
import { fail, hasRole, type RequestContext, type Role } from '@candela/kernel';
import type { MetadataStore, StoredMember } from '@candela/metadata-store';
import type { Handlers } from '../../../http/handlers.ts';
import { record } from '../../audit/service.ts';
import { readCursor, writeCursor } from '../cursors.ts';
import { type InvitationService, showInvitation } from '../invitations/service.ts';

type Names =
  | 'getOrganisation'
  | 'updateOrganisation'
  | 'listMembers'
  | 'updateMember'
  | 'removeMember'
  | 'listInvitations'
  | 'createInvitation'
  | 'revokeInvitation';

const iso = (ms: number): string => new Date(ms).toISOString();
const showMember = ({ joinedAt, lastSeenAt, ...member }: StoredMember): Member => ({
  ...member,
  joinedAt: iso(joinedAt),
  lastSeenAt: lastSeenAt === null ? null : iso(lastSeenAt),
});

/** Who asks, as of the context. */
function actorOf({ principal }: RequestContext): { readonly id: string; readonly role: Role } {
  if (principal.kind !== 'user') throw fail('not_signed_in');
  return principal;
}

/** Nobody changes who is as much as they are, but owners. @throws refused */
function requireAuthority(actor: Role, member: Role, given?: Role): void {
  const above = actor === 'owner' || !hasRole(member, actor);
  if (!above) throw fail('refused', { detail: `Only an owner changes or removes an ${member}.` });
  if (given !== undefined && !hasRole(actor, given)) {
    throw fail('refused', { detail: `You cannot make somebody ${given}: you are ${actor}.` });
  }
}

/** The organisation, its members and invitations. */
export function organisationHandlers(parts: {
  readonly metadata: MetadataStore;
  readonly invitations: InvitationService;
}): Pick<Handlers, Names> {
  const { metadata, invitations } = parts;

  return {
    getOrganisation: async ({ context }) => {
      const { id, name, createdAt } = await metadata.projects.organisation(context.organisationId);
      return { data: { id, name, createdAt: iso(createdAt) } };
    },

    updateOrganisation: async ({ context, body }) => {
      const { id, name, createdAt } = await metadata.change(undefined, async (repositories) => {
        await repositories.projects.renameOrganisation(context.organisationId, body.name);
        await record(repositories, context, {
          action: 'organisation.rename',
          objectKind: 'organisation',
          objectId: context.organisationId,
          details: { name: body.name },
        });
        return repositories.projects.organisation(context.organisationId);
      });
      return { data: { id, name, createdAt: iso(createdAt) } };
    },

    listMembers: async ({ context, query }) => {
      const [email] = query.cursor === undefined ? [] : readCursor('members', query.cursor, ['string']);
      const { members, next } = await metadata.people.members(context.organisationId, {
        limit: query.limit,
        after: email === undefined ? undefined : { email: String(email) },
      });
      const nextCursor = next === undefined ? null : writeCursor('members', [next.email]);
      return { data: members.map(showMember), nextCursor };
    },

    updateMember: async ({ context, params, body }) => {
      const actor = actorOf(context);
      const { organisationId } = context;
      const member = await metadata.change(undefined, async (repositories) => {
        const { people } = repositories;
        // Read here: the role of the context may be a moment old.
        const { role: own } = await people.member(organisationId, actor.id);
        const before = await people.member(organisationId, params.id);
        requireAuthority(own, before.role, body.role);
        if (before.role === 'owner' && body.role !== 'owner' && (await people.owners(organisationId)) < 2) {
          throw fail('refused', { detail: 'This is the last owner. Make somebody else an owner first.' });
        }
        await people.setRole(organisationId, params.id, body.role);
        await record(repositories, context, {
          action: 'member.change-role',
          objectKind: 'user',
          objectId: params.id,
          details: { email: before.email, before: before.role, after: body.role },
        });
        return people.member(organisationId, params.id);
      });
      return { data: showMember(member) };
    },

    removeMember: async ({ context, params }) => {
      const actor = actorOf(context);
      const { organisationId } = context;
      const keysRevoked = await metadata.change(undefined, async (repositories) => {
        const { people } = repositories;
        const { role: own } = await people.member(organisationId, actor.id);
        const member = await people.member(organisationId, params.id);
        if (member.role === 'owner' && (await people.owners(organisationId)) < 2) {
          throw fail('refused', { detail: 'This is the last owner. Make somebody else an owner first.' });
        }
        if (params.id !== actor.id) requireAuthority(own, member.role);
        const keys = await people.remove(params.id);
        await record(repositories, context, {
          action: 'member.remove',
          objectKind: 'user',
          objectId: params.id,
          details: { email: member.email, role: member.role, keysRevoked: keys },
        });
        return keys;
      });
      return { data: { id: params.id, keysRevoked } };
    },

    listInvitations: async ({ context, query }) => {
      const [createdAt, id] =
        query.cursor === undefined ? [] : readCursor('invitations', query.cursor, ['number', 'string']);
      const page = await metadata.invitations.list(context.organisationId, {
        limit: query.limit,
        after: id === undefined ? undefined : { createdAt: Number(createdAt), id: String(id) },
      });
      const { next } = page;
      return {
        data: page.invitations.map((invitation) => showInvitation(invitation, invitation.inviter)),
        nextCursor: next === undefined ? null : writeCursor('invitations', [next.createdAt, next.id]),
      };
    },

    createInvitation: async ({ context, body }) => ({
      data: await invitations.create(context, actorOf(context).role, body),
    }),

    revokeInvitation: async ({ context, params }) => {
      await metadata.change(undefined, async (repositories) => {
        await repositories.invitations.revoke(context.organisationId, params.id);
        await record(repositories, context, {
          action: 'invitation.revoke',
          objectKind: 'invitation',
          objectId: params.id,
        });
      });
      return { data: { id: params.id } };
    },
  };
}
