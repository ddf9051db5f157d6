import type {
  createApiKey,
  listApiKeys,
  RequestBodyOf,
  ResponseOf,
  rotateApiKey,
  updateApiKey,
} from '@candela/contract';
import { call, HERE } from './client.ts';
import { pagesOf } from './pages.ts';

const KEYS = '/api/api-key';
const PAGE = 100;
const key = (id: string) => `${KEYS}/${encodeURIComponent(id)}`;

/** The keys of the project in the address. */
export const keysQuery = () =>
  pagesOf(['api-keys'], ({ cursor }, signal) =>
    call<ResponseOf<typeof listApiKeys>>(
      `${KEYS}?limit=${PAGE}${cursor === undefined ? '' : `&cursor=${encodeURIComponent(cursor)}`}`,
      HERE,
      { signal },
    ),
  );

export const createKey = (body: RequestBodyOf<typeof createApiKey>) =>
  call<ResponseOf<typeof createApiKey>>(KEYS, HERE, { body }).then((answer) => answer.data);
export const changeKey = (change: { id: string } & RequestBodyOf<typeof updateApiKey>) => {
  const { id, ...body } = change;
  return call(key(id), HERE, { method: 'PATCH', body });
};
export const rotateKey = (what: { id: string } & RequestBodyOf<typeof rotateApiKey>) =>
  call<ResponseOf<typeof rotateApiKey>>(`${key(what.id)}/rotate`, HERE, {
    body: { overlapSeconds: what.overlapSeconds },
  }).then((answer) => answer.data);
export const revokeKey = (id: string) => call(key(id), HERE, { method: 'DELETE' });
