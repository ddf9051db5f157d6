export { capture } from './capture.ts';
export type { Manifest, Pack } from './manifest.ts';
export { newId, Repository } from './repository.ts';
export { type Comparison, restore, UNFINISHED_RESTORE, verify } from './restore.ts';
export { type TargetEnv, targetEnvOf, targetOf } from './targets/index.ts';
export { BackupError } from './targets/target.ts';
