import type {
  Account,
  AccountSession,
  changePassword,
  confirmTotp,
  newRecoveryCodes,
  RequestBodyOf,
  removeTotp,
  startTotp,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call } from './client.ts';

export const accountQuery = () =>
  queryOptions({
    queryKey: ['account'],
    queryFn: ({ signal }): Promise<Account> => call('getAccount', { signal }).then((answer) => answer.data),
  });

export const sessionsOfAccountQuery = () =>
  queryOptions({
    queryKey: ['account', 'sessions'],
    queryFn: ({ signal }): Promise<AccountSession[]> =>
      call('listAccountSessions', { signal }).then((answer) => answer.data),
  });

export const renameAccount = (name: string) => call('updateAccount', { body: { name } });

export const sendPassword = (body: RequestBodyOf<typeof changePassword>) =>
  call('changePassword', { body }).then((answer) => answer.data.signedOut);

export const beginTotp = (body: RequestBodyOf<typeof startTotp>) =>
  call('startTotp', { body }).then((answer) => answer.data);

export const proveTotp = (body: RequestBodyOf<typeof confirmTotp>) =>
  call('confirmTotp', { body }).then((answer) => answer.data.recoveryCodes);

export const renewRecoveryCodes = (body: RequestBodyOf<typeof newRecoveryCodes>) =>
  call('newRecoveryCodes', { body }).then((answer) => answer.data.recoveryCodes);

export const endTotp = (body: RequestBodyOf<typeof removeTotp>) => call('removeTotp', { body });

export const endSession = (id: string) => call('endAccountSession', { params: { id } });

export const endAllSessions = (keepThis: boolean) =>
  call('signOutEverywhere', { body: { keepThis } }).then((answer) => answer.data.signedOut);
