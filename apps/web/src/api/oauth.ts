import type {
  AllowedApplication,
  createOauthClient,
  decideOauthConsent,
  getOauthConsent,
  listApplications,
  listOauthClients,
  RequestBodyOf,
  ResponseOf,
  rotateOauthSecret,
  updateOauthClient,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call, HERE } from './client.ts';
import { pagesOf } from './pages.ts';

const CLIENTS = '/api/oauth/clients';
const PAGE = 100;
const client = (id: string) => `${CLIENTS}/${encodeURIComponent(id)}`;

export const oauthClientsQuery = () =>
  pagesOf(['oauth-clients'], ({ cursor }, signal) =>
    call<ResponseOf<typeof listOauthClients>>(
      `${CLIENTS}?limit=${PAGE}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      HERE,
      { signal },
    ),
  );

export const createClient = (body: RequestBodyOf<typeof createOauthClient>) =>
  call<ResponseOf<typeof createOauthClient>>(CLIENTS, HERE, { body }).then((answer) => answer.data);
export const changeClient = (what: { id: string; change: RequestBodyOf<typeof updateOauthClient> }) =>
  call(client(what.id), HERE, { method: 'PATCH', body: what.change });
export const rotateClientSecret = (id: string) =>
  call<ResponseOf<typeof rotateOauthSecret>>(`${client(id)}/rotate`, HERE, { method: 'POST' }).then(
    (answer) => answer.data,
  );
export const deleteClient = (id: string) => call(client(id), HERE, { method: 'DELETE' });

const consent = (uid: string) => `/api/oauth/consent/${encodeURIComponent(uid)}`;
export const consentQuery = (uid: string) =>
  queryOptions({
    queryKey: ['consent', uid],
    queryFn: ({ signal }) =>
      call<ResponseOf<typeof getOauthConsent>>(consent(uid), HERE, { signal }).then((answer) => answer.data),
  });
/** Where the browser goes after the decision. */
export const decide = (what: { uid: string; decision: RequestBodyOf<typeof decideOauthConsent> }) =>
  call<ResponseOf<typeof decideOauthConsent>>(consent(what.uid), HERE, { body: what.decision }).then(
    (answer) => answer.data.redirect,
  );

export const applicationsQuery = () =>
  queryOptions({
    queryKey: ['account', 'applications'],
    queryFn: ({ signal }): Promise<AllowedApplication[]> =>
      call<ResponseOf<typeof listApplications>>('/api/account/applications', HERE, { signal }).then(
        (answer) => answer.data,
      ),
  });
export const revokeApplication = (id: string) =>
  call(`/api/account/applications/${encodeURIComponent(id)}`, HERE, { method: 'DELETE' });
