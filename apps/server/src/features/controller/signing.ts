import { createPrivateKey, createPublicKey, generateKeyPairSync, type KeyObject, sign } from 'node:crypto';
import type { MetadataStore, StoredControllerAction } from '@candela/metadata-store';
import type { Envelope } from '@candela/vault';

const NAME = 'controller.signing';
const PLACE = { table: 'server_keys', column: 'value', id: NAME };

/** Signs actions, so that whoever can answer in the platform's place still cannot order anything. */
export interface Signer {
  /** SPKI in base64, which controllers pin. */
  readonly publicKey: string;
  sign(instance: string, action: StoredControllerAction): string;
}

/** The text that is signed: what makes a difference of an action, and for whom it is. */
function signedText(instance: string, action: StoredControllerAction): string {
  const { id, type, workload, payload, dryRun, expiresAt } = action;
  const expires = new Date(expiresAt).toISOString();
  return JSON.stringify(['candela-action-1', instance, id, type, workload, payload, dryRun, expires]);
}

/** The key of this installation, made at its first use and kept sealed. */
export function createSigner(metadata: MetadataStore, envelope: Envelope): () => Promise<Signer> {
  let opened: Promise<Signer> | undefined;
  const open = async (): Promise<Signer> => {
    const make = (): string =>
      generateKeyPairSync('ed25519').privateKey.export({ type: 'pkcs8', format: 'pem' });
    const kept =
      (await metadata.serverKeys.get(NAME)) ??
      (await metadata.change(undefined, ({ serverKeys }) =>
        serverKeys.keepFirst(NAME, envelope.seal(make(), PLACE)),
      ));
    const key: KeyObject = createPrivateKey(envelope.open(kept, PLACE));
    return {
      publicKey: createPublicKey(key).export({ type: 'spki', format: 'der' }).toString('base64'),
      sign: (instance, action) =>
        sign(null, Buffer.from(signedText(instance, action)), key).toString('base64'),
    };
  };
  return () => {
    opened ??= open().catch((thrown: unknown) => {
      opened = undefined;
      throw thrown;
    });
    return opened;
  };
}
