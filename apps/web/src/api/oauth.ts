import type {
  AllowedApplication,
  createOauthClient,
  decideOauthConsent,
  RequestBodyOf,
  updateOauthClient,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';
import { pagesOf } from './pages.ts';

const PAGE = 100;

export const oauthClientsQuery = () =>
  pagesOf(['oauth-clients'], ({ cursor }, signal) =>
    call('listOauthClients', { query: { limit: PAGE, cursor }, signal }),
  );

export const createClient = (body: RequestBodyOf<typeof createOauthClient>) =>
  call('createOauthClient', { body }).then((answer) => answer.data);
export const changeClient = (what: { id: string; change: RequestBodyOf<typeof updateOauthClient> }) =>
  call('updateOauthClient', { params: { id: what.id }, body: what.change });
export const rotateClientSecret = (id: string) =>
  call('rotateOauthSecret', { params: { id } }).then((answer) => answer.data);
export const deleteClient = (id: string) => call('deleteOauthClient', { params: { id } });

export const consentQuery = (uid: string) =>
  queryOptions({
    queryKey: ['consent', uid],
    queryFn: ({ signal }) =>
      call('getOauthConsent', { params: { uid }, signal }).then((answer) => answer.data),
  });
/** Where the browser goes after the decision. */
export const decide = (what: { uid: string; decision: RequestBodyOf<typeof decideOauthConsent> }) =>
  call('decideOauthConsent', { params: { uid: what.uid }, body: what.decision }).then(
    (answer) => answer.data.redirect,
  );

export const applicationsQuery = () =>
  queryOptions({
    queryKey: ['account', 'applications'],
    queryFn: ({ signal }): Promise<AllowedApplication[]> =>
      call('listApplications', { signal }).then((answer) => answer.data),
  });
export const revokeApplication = (id: string) => call('revokeApplication', { params: { id } });
