import type {
  Account,
  AccountSession,
  changePassword,
  confirmTotp,
  getAccount,
  listAccountSessions,
  newRecoveryCodes,
  RequestBodyOf,
  ResponseOf,
  removeTotp,
  signOutEverywhere,
  startTotp,
} from '@candela/contract';
import { queryOptions } from '@tanstack/react-query';
import { call, HERE } from './client.ts';

export const accountQuery = () =>
  queryOptions({
    queryKey: ['account'],
    queryFn: ({ signal }): Promise<Account> =>
      call<ResponseOf<typeof getAccount>>('/api/account', HERE, { signal }).then((answer) => answer.data),
  });

export const sessionsOfAccountQuery = () =>
  queryOptions({
    queryKey: ['account', 'sessions'],
    queryFn: ({ signal }): Promise<AccountSession[]> =>
      call<ResponseOf<typeof listAccountSessions>>('/api/account/sessions', HERE, { signal }).then(
        (answer) => answer.data,
      ),
  });

export const renameAccount = (name: string) =>
  call('/api/account', HERE, { method: 'PATCH', body: { name } });

export const sendPassword = (body: RequestBodyOf<typeof changePassword>) =>
  call<ResponseOf<typeof changePassword>>('/api/account/password', HERE, { body }).then(
    (answer) => answer.data.signedOut,
  );

export const beginTotp = (body: RequestBodyOf<typeof startTotp>) =>
  call<ResponseOf<typeof startTotp>>('/api/account/totp', HERE, { body }).then((answer) => answer.data);

export const proveTotp = (body: RequestBodyOf<typeof confirmTotp>) =>
  call<ResponseOf<typeof confirmTotp>>('/api/account/totp/confirm', HERE, { body }).then(
    (answer) => answer.data.recoveryCodes,
  );

export const renewRecoveryCodes = (body: RequestBodyOf<typeof newRecoveryCodes>) =>
  call<ResponseOf<typeof newRecoveryCodes>>('/api/account/totp/recovery-codes', HERE, { body }).then(
    (answer) => answer.data.recoveryCodes,
  );

export const endTotp = (body: RequestBodyOf<typeof removeTotp>) =>
  call('/api/account/totp/remove', HERE, { body });

export const endSession = (id: string) =>
  call(`/api/account/sessions/${encodeURIComponent(id)}`, HERE, { method: 'DELETE' });

export const endAllSessions = (keepThis: boolean) =>
  call<ResponseOf<typeof signOutEverywhere>>('/api/account/sign-out-everywhere', HERE, {
    body: { keepThis },
  }).then((answer) => answer.data.signedOut);
