import type { createInvitation, Organisation, RequestBodyOf } from '@candela/contract';
import type { Role } from '@candela/kernel';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { pagesOf } from './pages.ts';

const PAGE = 100;

export const organisationQuery = () =>
  queryOptions({
    queryKey: ['organisation'],
    queryFn: ({ signal }): Promise<Organisation> =>
      call('getOrganisation', { signal }).then((answer) => answer.data),
  });

export const renameOrganisation = (name: string) => call('updateOrganisation', { body: { name } });

export const membersQuery = () =>
  pagesOf(['members'], ({ cursor }, signal) =>
    call('listMembers', { query: { limit: PAGE, cursor }, signal }),
  );

export const changeRole = (change: { id: string; role: Role }) =>
  call('updateMember', { params: { id: change.id }, body: { role: change.role } });
export const removeMember = (id: string) => call('removeMember', { params: { id } });

export const invitationsQuery = () =>
  pagesOf(['invitations'], ({ cursor }, signal) =>
    call('listInvitations', { query: { limit: PAGE, cursor }, signal }),
  );

export const invite = (body: RequestBodyOf<typeof createInvitation>) =>
  call('createInvitation', { body }).then((answer) => answer.data);
export const revokeInvitation = (id: string) => call('revokeInvitation', { params: { id } });
