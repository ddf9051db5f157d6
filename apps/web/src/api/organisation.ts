import type {
  createInvitation,
  getOrganisation,
  listInvitations,
  listMembers,
  Organisation,
  RequestBodyOf,
  ResponseOf,
} from '@candela/contract';
import type { Role } from '@candela/kernel';
import { queryOptions } from '@tanstack/react-query';
import { call, HERE } from './client.ts';
import { pagesOf } from './pages.ts';

const PAGE = 100;
/** The query part of one page of a list. */
const page = (cursor: string | undefined) =>
  `limit=${PAGE}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`;

export const organisationQuery = () =>
  queryOptions({
    queryKey: ['organisation'],
    queryFn: ({ signal }): Promise<Organisation> =>
      call<ResponseOf<typeof getOrganisation>>('/api/organisation', HERE, { signal }).then(
        (answer) => answer.data,
      ),
  });

export const renameOrganisation = (name: string) =>
  call('/api/organisation', HERE, { method: 'PATCH', body: { name } });

export const membersQuery = () =>
  pagesOf(['members'], ({ cursor }, signal) =>
    call<ResponseOf<typeof listMembers>>(`/api/organisation/members?${page(cursor)}`, HERE, { signal }),
  );

const member = (id: string) => `/api/organisation/members/${encodeURIComponent(id)}`;
export const changeRole = (change: { id: string; role: Role }) =>
  call(member(change.id), HERE, { method: 'PATCH', body: { role: change.role } });
export const removeMember = (id: string) => call(member(id), HERE, { method: 'DELETE' });

export const invitationsQuery = () =>
  pagesOf(['invitations'], ({ cursor }, signal) =>
    call<ResponseOf<typeof listInvitations>>(`/api/organisation/invitations?${page(cursor)}`, HERE, {
      signal,
    }),
  );

export const invite = (body: RequestBodyOf<typeof createInvitation>) =>
  call<ResponseOf<typeof createInvitation>>('/api/organisation/invitations', HERE, { body }).then(
    (answer) => answer.data,
  );
export const revokeInvitation = (id: string) =>
  call(`/api/organisation/invitations/${encodeURIComponent(id)}`, HERE, { method: 'DELETE' });
