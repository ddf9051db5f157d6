import { CandelaError } from '@candela/kernel';
import { type StorageScope, type StoredSecret, versionId } from '@candela/metadata-store';
import type { Envelope } from '@candela/vault';

/** Whose value it is. */
type Owner = Pick<StoredSecret, 'id' | 'key'>;

const placeOf = (id: string, version: number) => ({
  table: 'vault_versions',
  column: 'value',
  id: versionId(id, version),
});

/** Sealed with the value: a row that is given another name, or to another project, opens no more. */
const headOf = ({ projectId, databaseConfigId }: StorageScope, key: string): string =>
  `${JSON.stringify([projectId, databaseConfigId, key])}\n`;

export function sealValue(
  envelope: Envelope,
  place: StorageScope,
  secret: Owner & { readonly version: number; readonly value: string },
): string {
  return envelope.seal(headOf(place, secret.key) + secret.value, placeOf(secret.id, secret.version));
}

/** The value, byte for byte. @throws secret_unreadable, naming the secret: never what was not sealed as this one */
export function openValue(
  envelope: Envelope,
  place: StorageScope,
  secret: Owner & { readonly version: number; readonly sealed: string },
): string {
  const unreadable = (cause?: unknown) =>
    new CandelaError(
      'secret_unreadable',
      `The secret ${secret.key} cannot be decrypted: it was damaged, or its master key is missing. Enter its value again.`,
      { cause },
    );
  let text: string;
  try {
    text = envelope.open(secret.sealed, placeOf(secret.id, secret.version));
  } catch (thrown) {
    throw unreadable(thrown);
  }
  const head = headOf(place, secret.key);
  if (!text.startsWith(head)) throw unreadable();
  return text.slice(head.length);
}
