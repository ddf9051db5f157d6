import type { SCANNER_DETECTORS } from '@candela/contract';

/** Names of the detectors, as the API has them: pages take only types from there. */
export const DETECTORS = [
  'secrets',
  'agent-sdk',
  'mcp',
  'agent-config',
  'skills',
  'model-files',
  'deserialization',
  'prompts',
  'models',
  'dependencies',
  'vulnerabilities',
  'licenses',
  'packages',
  'rules',
] as const satisfies typeof SCANNER_DETECTORS;
