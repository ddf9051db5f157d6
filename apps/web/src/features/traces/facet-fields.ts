import type { FacetField } from '@candela/contract';

/** Fields of the facets panel, in its order. */
export const FACET_FIELDS = [
  'status',
  'service',
  'model',
  'operation',
  'agent',
  'tool',
  'provider',
  'environment',
  'name',
] as const satisfies readonly FacetField[];
