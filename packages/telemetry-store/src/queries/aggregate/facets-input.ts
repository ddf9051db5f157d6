import type { FacetField, Filter } from '@candela/contract';
import type { Window } from '../core/scope.ts';

export interface FacetsInput {
  /** Default: spans. */
  readonly signal?: 'spans' | 'logs' | 'exceptions';
  readonly window: Window;
  readonly filter: Filter | undefined;
  readonly fields: readonly FacetField[];
  /** Only values that hold this text, whatever its case. */
  readonly search?: string | undefined;
  readonly limit: number;
}

export interface Facet {
  readonly field: FacetField;
  readonly values: { value: string; count: number }[];
  readonly more: boolean;
}
