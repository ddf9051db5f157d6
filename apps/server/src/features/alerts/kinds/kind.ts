import type { AlertCondition, AlertKind, AlertSource } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { RouteFunction } from '../../../http/route-functions.ts';

/** What kinds read: the routes that people ask, and what the platform keeps. */
export interface AlertSources {
  readonly aggregate: RouteFunction<'aggregate'>;
  readonly queryMetric: RouteFunction<'queryMetric'>;
  readonly searchExceptions: RouteFunction<'searchExceptions'>;
  readonly scoreAnalytics: RouteFunction<'scoreAnalytics'>;
  readonly scoreAgreement: RouteFunction<'scoreAgreement'>;
  readonly executeSql: RouteFunction<'executeSql'>;
  readonly metadata: Pick<MetadataStore, 'audit' | 'scanners'>;
}

/** Labels of a group in the order they are shown. */
export type Labels = readonly (readonly [label: string, value: string])[];

/** The value of one group at one instant; null: no data. */
export interface Reading {
  readonly labels: Labels;
  readonly value: number | null;
  /** When it fires. */
  readonly condition: AlertCondition;
}

export interface Measured {
  readonly readings: readonly Reading[];
  /** What a reader of the preview should know. */
  readonly note?: string | undefined;
}

export interface Asked {
  readonly context: RequestContext;
  /** End of the window in event time, epoch milliseconds, not in it. */
  readonly end: number;
  /** Groups that have a state. */
  readonly known: readonly Labels[];
  readonly minSamples: number;
  /** Scores of a judge may be used that is not calibrated. */
  readonly allowUncalibrated: boolean;
  readonly signal: AbortSignal;
}

export type SourceOf<Kind extends AlertKind> = Extract<AlertSource, { kind: Kind }>;

/** A kind whose groups are in a state: it fires, and recovers. */
export interface LevelKind<Kind extends AlertKind> {
  readonly mode: 'level';
  read(sources: AlertSources, source: SourceOf<Kind>, asked: Asked): Promise<Measured>;
}

/** A single thing that happened. */
export interface Occurrence {
  /** The same key is told of once. */
  readonly key: string;
  readonly at: number;
  readonly labels: Labels;
  readonly text: string;
  /** Path of the page that shows it. */
  readonly link: string | null;
}

/** A kind of single events, which nothing resolves. */
export interface EventKind<Kind extends AlertKind> {
  readonly mode: 'events';
  /** Events of a window may be asked for again in the next one, so that late ones are not lost. */
  readonly overlapMs: number;
  read(
    sources: AlertSources,
    source: SourceOf<Kind>,
    asked: {
      readonly context: RequestContext;
      readonly from: number;
      readonly to: number;
      /** Begin of what was not asked for before; without an overlap it is `from`. */
      readonly since: number;
      readonly signal: AbortSignal;
    },
  ): Promise<readonly Occurrence[]>;
}

export type AnyKind<Kind extends AlertKind> = LevelKind<Kind> | EventKind<Kind>;
