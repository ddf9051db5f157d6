export { Envelope, type MasterKey, newMasterKey, parseMasterKey, type Place } from './envelope.ts';
export { openEnvelope, VaultKeyError } from './keyring.ts';
