import type { Filter, EventKind } from '@candela/contract';
import type { Window } from '../core/scope.ts';

export interface FacetsInput {
  /** Default: spans. */
  readonly signal?: EventKind | 'exceptions';
  readonly window: Window;
  readonly filter: Filter | undefined;
  /** As a filter writes them. */
  readonly fields: readonly string[];
  /** Only values that hold this text, whatever its case. */
  readonly search?: string | undefined;
  readonly limit: number;
  /** Where looking at all rows takes long: what a sample of them says. */
  readonly early?: boolean;
}

export interface FacetsAnswer {
  readonly data: Facet[];
  /** The part of the rows that was looked at, where numbers are estimated from that; null where they are exact. */
  readonly sample: number | null;
}

export interface Facet {
  readonly field: string;
  readonly values: { value: string; count: number }[];
  readonly more: boolean;
}
