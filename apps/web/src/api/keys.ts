import type { createApiKey, RequestBodyOf, rotateApiKey, updateApiKey } from '@candela/contract';
import { call } from './client.ts';
import { pagesOf } from './pages.ts';

const PAGE = 100;

/** The keys of the project in the address. */
export const keysQuery = () =>
  pagesOf(['api-keys'], ({ cursor }, signal) =>
    call('listApiKeys', { query: { limit: PAGE, cursor }, signal }),
  );

export const createKey = (body: RequestBodyOf<typeof createApiKey>) =>
  call('createApiKey', { body }).then((answer) => answer.data);
export const changeKey = (change: { id: string } & RequestBodyOf<typeof updateApiKey>) => {
  const { id, ...body } = change;
  return call('updateApiKey', { params: { id }, body });
};
export const rotateKey = (what: { id: string } & RequestBodyOf<typeof rotateApiKey>) =>
  call('rotateApiKey', { params: { id: what.id }, body: { overlapSeconds: what.overlapSeconds } }).then(
    (answer) => answer.data,
  );
export const revokeKey = (id: string) => call('deleteApiKey', { params: { id } });
