import type { Logger } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { Registry } from 'prom-client';
import { entityKinds } from './entities/index.ts';
import { ruleHandlers } from './routes.ts';
import { createRuleBook } from './rule-book.ts';

/** Rules with everything they need, ready to answer. */
export function createRuleFeature(parts: {
  readonly metadata: MetadataStore;
  readonly logger: Logger;
  readonly registry: Registry;
}) {
  const { metadata } = parts;
  const kinds = entityKinds(metadata);
  return ruleHandlers({ metadata, kinds, book: createRuleBook({ ...parts, kinds }) });
}
