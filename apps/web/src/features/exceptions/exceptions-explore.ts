import type { Panel } from '@candela/contract';
import { terms } from '../../lib/query-text.ts';
import type { ExploreConfig } from '../explore/explore-config.ts';

export const EXCEPTIONS_EXPLORE: ExploreConfig = {
  signal: 'exceptions',
  noun: 'exceptions',
  facets: ['error_type', 'service', 'model', 'agent', 'tool', 'environment', 'name'],
  folded: ['environment', 'name'],
  placeholder: 'Search: error_type:*Timeout* service:checkout model:gpt-4o "connection refused"',
};

/** Fields that only exceptions have. */
const OWN = /^(?:-|not\s+)?(?:message|fingerprint)[:=!~<>]/i;

/** How a chart of exceptions begins: the spans that failed, of what is searched for as far as spans have it. */
export const failedSpans = (q: string): Panel['query'] => ({
  kind: 'aggregate',
  body: {
    signal: 'spans',
    q: terms(q)
      .map(({ text }) => text)
      .filter((text) => !OWN.test(text))
      .join(' '),
    groupBy: ['error_type'],
    measures: ['errors'],
    bucketSeconds: 'auto',
    limit: 8,
    comparePrevious: false,
  },
});
