import type {
  AuthStatus,
  acceptInvitation,
  finishProvider,
  getAuthStatus,
  lookAtInvitation,
  RequestBodyOf,
  ResponseOf,
  setUp,
  signIn,
  signInTotp,
  startProvider,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call, HERE } from './client.ts';

/** Who is signed in, what they reach, and how one may sign in; the first question of a page. */
export const authStatusQuery = () =>
  queryOptions({
    queryKey: ['auth-status'],
    staleTime: 60_000,
    queryFn: ({ signal }): Promise<AuthStatus> =>
      call<ResponseOf<typeof getAuthStatus>>('/api/auth/status', HERE, { signal }).then(
        (answer) => answer.data,
      ),
  });

/** What an invitation link is about; asked once, by its token. */
export const invitationQuery = (token: string) =>
  queryOptions({
    queryKey: ['invitation', token],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof lookAtInvitation>>('/api/auth/invitation', HERE, {
        signal,
        body: { token },
      }).then((answer) => answer.data),
  });

export const sendSetUp = (body: RequestBodyOf<typeof setUp>) =>
  call<ResponseOf<typeof setUp>>('/api/auth/setup', HERE, { body });

export const sendSignIn = (body: RequestBodyOf<typeof signIn>) =>
  call<ResponseOf<typeof signIn>>('/api/auth/sign-in', HERE, { body }).then((answer) => answer.data);

export const sendTotp = (code: string) =>
  call<ResponseOf<typeof signInTotp>>('/api/auth/sign-in/totp', HERE, { body: { code } });

export const sendSignOut = () => call('/api/auth/sign-out', HERE, { method: 'POST' });

export const sendAcceptInvitation = (body: RequestBodyOf<typeof acceptInvitation>) =>
  call<ResponseOf<typeof acceptInvitation>>('/api/auth/invitation/accept', HERE, { body });

/** Where the browser goes to sign in at another place. */
export const beginProvider = (provider: string, body: RequestBodyOf<typeof startProvider>) =>
  call<ResponseOf<typeof startProvider>>(`/api/auth/provider/${encodeURIComponent(provider)}/start`, HERE, {
    body,
  }).then((answer) => answer.data.url);

/** What the other place answered, as it stands in the address. */
export const endProvider = (provider: string, search: string) =>
  call<ResponseOf<typeof finishProvider>>(`/api/auth/provider/${encodeURIComponent(provider)}/finish`, HERE, {
    body: { search },
  }).then((answer) => answer.data);
