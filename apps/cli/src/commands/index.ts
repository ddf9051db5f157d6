import type { Command } from '../command.ts';
import { migrateMetadata } from './migrate-metadata.ts';
import { vaultRotate } from './vault-rotate.ts';

/** Every command; the registry. */
export const COMMANDS: readonly Command[] = [migrateMetadata, vaultRotate];
