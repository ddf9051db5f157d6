import type { Clock, Logger } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import { createRuleQueries } from '@candela/telemetry-store';
import type { PlatformMetrics } from '../../metrics.ts';
import type { PromptService } from '../prompts/service.ts';
import { entityKinds } from './entities/index.ts';
import { type RuleHandlers, ruleHandlers } from './routes.ts';
import { createRuleCache } from './rule-cache.ts';

type Asked = Parameters<typeof createRuleQueries>;

/** What rules need. */
export interface RuleFeatureParts {
  readonly metadata: MetadataStore;
  readonly logger: Logger;
  readonly metrics: PlatformMetrics;
  readonly prompts: PromptService;
  readonly reads: Asked[0];
  readonly limits: Asked[1];
  readonly clock: Clock;
}

/** Rules with everything they need, ready to answer. */
export function readyRules(parts: RuleFeatureParts): RuleHandlers {
  const { metadata, logger, clock, reads, limits } = parts;
  const kinds = entityKinds(metadata, parts.prompts);
  const book = createRuleCache({ metadata, kinds, logger, registry: parts.metrics.registry });
  return ruleHandlers({ metadata, kinds, book, queries: createRuleQueries(reads, limits), clock });
}
