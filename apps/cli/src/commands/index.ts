import type { Command } from '../command.ts';
import { askBench } from './ask-bench.ts';
import { backupCreate, backupList, backupPrune, backupRestore, backupVerify } from './backup.ts';
import { codingConfigure } from './coding-configure.ts';
import { codingDoctor, codingStatus } from './coding-doctor.ts';
import { codingFlush, codingHook } from './coding-flush.ts';
import { codingInstall, codingUninstall } from './coding-install.ts';
import { codingLaunch } from './coding-launch.ts';
import { controller } from './controller.ts';
import { eraseUserData } from './erase-user.ts';
import { evalRun } from './eval-run.ts';
import { importFiles } from './import.ts';
import { migrateMetadata } from './migrate-metadata.ts';
import { projectExport, projectImport } from './project.ts';
import { scan } from './scan.ts';
import { profile } from './profile.ts';
import { vaultRotate } from './vault-rotate.ts';

/** Every command; the registry. */
export const COMMANDS: readonly Command[] = [
  importFiles,
  eraseUserData,
  migrateMetadata,
  projectExport,
  projectImport,
  backupCreate,
  backupList,
  backupVerify,
  backupRestore,
  backupPrune,
  scan,
  askBench,
  evalRun,
  vaultRotate,
  profile,
  controller,
  codingInstall,
  codingUninstall,
  codingLaunch,
  codingConfigure,
  codingStatus,
  codingDoctor,
  codingFlush,
  codingHook,
];
