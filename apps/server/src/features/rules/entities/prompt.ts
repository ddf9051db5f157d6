import type { EntityKind } from './entity.ts';

/** Prompts, compiled as the application asks. */
export function promptKind(): EntityKind {
  return {
    type: 'prompt',
    label: 'prompt',
    look: async () => new Map(),
    inactive: async () => new Set(),
    records: async () => new Map(),
  };
}
