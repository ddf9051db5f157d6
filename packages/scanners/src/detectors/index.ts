import type { Detector } from '../types.ts';
import { agentConfig } from './agent-config.ts';
import { agentSdk } from './agent-sdk.ts';
import { dependencies } from './dependencies.ts';
import { deserialization } from './deserialization.ts';
import { licences } from './licences.ts';
import { mcp } from './mcp.ts';
import { modelFiles } from './model-files.ts';
import { models } from './models.ts';
import { packages } from './packages.ts';
import { prompts } from './prompts.ts';
import { rules } from './rules.ts';
import { secrets } from './secrets.ts';
import { skills } from './skills.ts';
import { vulnerabilities } from './vulnerabilities.ts';

/** Every detector; the registry. Those that read lock files come before those that judge what they found. */
export const DETECTORS: readonly Detector[] = [
  secrets,
  agentSdk,
  mcp,
  agentConfig,
  skills,
  modelFiles,
  deserialization,
  prompts,
  models,
  dependencies,
  vulnerabilities,
  licences,
  packages,
  rules,
];
