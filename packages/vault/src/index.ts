export { Envelope, type MasterKeys, newMasterKey, parseMasterKeys, type Place } from './envelope.ts';
export { VaultKeyError } from './key-file.ts';
export { openEnvelope } from './keyring.ts';
export { rotateMasterKey } from './rotate.ts';
