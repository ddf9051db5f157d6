import type { EntityType } from '@candela/contract';
import type { MetadataStore } from '@candela/metadata-store';
import type { PromptService } from '../../prompts/service.ts';
import { contextKind } from './context.ts';
import type { EntityKind } from './entity.ts';
import { evaluationKind } from './evaluation.ts';
import { promptKind } from './prompt.ts';

export type EntityKinds = Readonly<Record<EntityType, EntityKind>>;

/** Everything that a rule can be linked to; the registry. */
export function entityKinds(metadata: MetadataStore, prompts: Pick<PromptService, 'compiled'>): EntityKinds {
  return {
    context: contextKind(metadata),
    prompt: promptKind(prompts),
    evaluation: evaluationKind,
  };
}
