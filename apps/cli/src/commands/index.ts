import type { Command } from '../command.ts';
import { migrateMetadata } from './migrate-metadata.ts';

/** Every command; the registry. */
export const COMMANDS: readonly Command[] = [migrateMetadata];
