import type { VAULT_ROUTES } from '@candela/contract';
import type { Envelope } from '@candela/vault';
import type { Handlers } from '../../http/handlers.ts';
import { callOf } from '../../http/idempotency.ts';
import { readCursor, writeCursor } from '../identity/cursors.ts';
import type { Vault } from './service.ts';

/** Secrets. Values go in and are in the answers of `reveal` and `get-secrets` alone. */
export function vaultHandlers(
  vault: Vault,
  envelope: Pick<Envelope, 'fingerprint'>,
): Pick<Handlers, keyof typeof VAULT_ROUTES> {
  return {
    listSecrets: async ({ context, query }) => {
      const [after] = query.cursor === undefined ? [] : readCursor('secrets', query.cursor, ['string']);
      const { secrets, next } = await vault.list(
        context,
        query,
        after === undefined ? undefined : String(after),
      );
      return { data: secrets, nextCursor: next === undefined ? null : writeCursor('secrets', [next]) };
    },
    getSecret: async ({ context, params }) => ({ data: await vault.get(context, params.id) }),
    createSecret: async ({ context, body, header }) => {
      // Of what is asked a hash is kept, by which a short value could be guessed.
      const request = { ...body, value: envelope.fingerprint(body.value) };
      const call = callOf(context, 'createSecret', header('idempotency-key'), request);
      return { data: await vault.create(context, body, call) };
    },
    updateSecret: async ({ context, params, body, header }) => {
      const { value, ...rest } = body;
      const request = { ...params, ...rest, value: value === undefined ? null : envelope.fingerprint(value) };
      const call = callOf(context, 'updateSecret', header('idempotency-key'), request);
      return { data: await vault.update(context, params.id, body, call) };
    },
    deleteSecret: async ({ context, params, header }) => {
      const call = callOf(context, 'deleteSecret', header('idempotency-key'), params);
      return { data: await vault.delete(context, params.id, call) };
    },
    listSecretVersions: async ({ context, params }) => ({
      data: await vault.history(context, params.id),
      nextCursor: null,
    }),
    revealSecret: async ({ context, params, body }) => ({
      data: await vault.reveal(context, params.id, body.version),
    }),
    restoreSecret: async ({ context, params, body, header }) => {
      const call = callOf(context, 'restoreSecret', header('idempotency-key'), { ...params, ...body });
      return { data: await vault.restore(context, params.id, body, call) };
    },
    getSecrets: async ({ context, body }) => ({ err: null, res: await vault.fetch(context, body) }),
  };
}
