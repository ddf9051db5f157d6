import type {
  AuthStatus,
  acceptInvitation,
  RequestBodyOf,
  setUp,
  signIn,
  startProvider,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

/** Who is signed in, what they reach, and how one may sign in; the first question of a page. */
export const authStatusQuery = () =>
  queryOptions({
    queryKey: ['auth-status'],
    staleTime: 60_000,
    queryFn: ({ signal }): Promise<AuthStatus> =>
      call('getAuthStatus', { signal }).then((answer) => answer.data),
  });

/** What an invitation link is about; asked once, by its token. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) =>
      call('lookAtInvitation', { signal, body: { token } }).then((answer) => answer.data),
  });

export const sendSetUp = (body: RequestBodyOf<typeof setUp>) => call('setUp', { body });

export const sendSignIn = (body: RequestBodyOf<typeof signIn>) =>
  call('signIn', { body }).then((answer) => answer.data);

export const sendTotp = (code: string) => call('signInTotp', { body: { code } });

export const sendSignOut = () => call('signOut');

export const sendAcceptInvitation = (body: RequestBodyOf<typeof acceptInvitation>) =>
  call('acceptInvitation', { body });

/** Where the browser goes to sign in at another place. */
export const beginProvider = (provider: string, body: RequestBodyOf<typeof startProvider>) =>
  call('startProvider', { params: { provider }, body }).then((answer) => answer.data.url);

/** What the other place answered, as it stands in the address. */
export const endProvider = (provider: string, search: string) =>
  call('finishProvider', { params: { provider }, body: { search } }).then((answer) => answer.data);
