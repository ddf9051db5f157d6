import { SIGNALS } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import { record } from '../audit/service.ts';
import type { RetentionChoices } from './service.ts';

/** How long the records of a project are kept. */
export function retentionHandlers(
  metadata: MetadataStore,
  choices: RetentionChoices,
  onChange: () => Promise<void>,
): Pick<Handlers, 'getRetention' | 'updateRetention'> {
  return {
    getRetention: ({ context }) => ({ data: choices.of(context.projectId) }),
    updateRetention: async ({ context, body }) => {
      const changes = new Map<string, number | null>();
      for (const signal of SIGNALS) {
        const days = body[signal];
        if (days !== undefined) changes.set(signal, days);
      }
      const { projectId } = context;
      await metadata.change(undefined, async (repositories) => {
        await repositories.retention.set(projectId, changes);
        await record(repositories, context, {
          action: 'retention.update',
          objectKind: 'project',
          objectId: projectId,
          details: Object.fromEntries(changes),
        });
      });
      await choices.read();
      await onChange();
      return { data: choices.of(projectId) };
    },
  };
}
