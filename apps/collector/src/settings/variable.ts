import type { Parse } from './parse.ts';

export const MODES = ['all', 'light', 'serving', 'training', 'deep'] as const;
export type Mode = (typeof MODES)[number];

/** What defaults may depend on. */
export interface Situation {
  readonly mode: Mode;
  /** This process runs in a Kubernetes pod. */
  readonly inCluster: boolean;
  readonly hasNodeName: boolean;
  /** Metrics of the host are wanted at all. */
  readonly hostMetrics: boolean;
}

/** One environment variable: how its text becomes a value, and what people are told about it. */
export interface Variable<T> {
  readonly section: string;
  readonly description: string;
  /** What it may be, as the end of "takes ...". */
  readonly takes: string;
  /** Text that stands for the variable when it is unset; undefined when unset means something of its own. */
  readonly default: (situation: Situation) => string | undefined;
  /** Says the default where it depends on more than the mode. */
  readonly defaultText?: string;
  /** Other names it is read from when it is unset, in this order. */
  readonly aliases: readonly string[];
  /** Set but empty is a value of its own instead of "unset". */
  readonly emptyCounts: boolean;
  readonly secret: boolean;
  /** How a value that was set is shown. */
  readonly show: (text: string) => string;
  readonly parse: Parse<T>;
}

interface Definition<T> {
  readonly description: string;
  readonly takes: string;
  readonly parse: Parse<T>;
  readonly aliases?: readonly string[];
  readonly emptyCounts?: boolean;
  readonly secret?: boolean;
  readonly defaultText?: string;
  readonly show?: (text: string) => string;
}

/** Declares the variables of one section. */
export function section(name: string) {
  const complete = <T>(definition: Definition<T>, fallback: Variable<T>['default']): Variable<T> => ({
    section: name,
    aliases: [],
    emptyCounts: false,
    secret: false,
    show: (text) => text,
    ...definition,
    default: fallback,
  });
  return {
    withDefault: <T>(
      fallback: string | ((situation: Situation) => string),
      definition: Definition<T>,
    ): Variable<T> => complete(definition, typeof fallback === 'string' ? () => fallback : fallback),
    optional: <T>(definition: Definition<T>): Variable<T | undefined> =>
      complete<T | undefined>(definition, () => undefined),
  };
}

/** The modes in which a feature is on unless told otherwise. Each mode has what the one before it has, and more. */
export const FROM_SERVING: readonly Mode[] = ['serving', 'training', 'deep', 'all'];
export const FROM_TRAINING: readonly Mode[] = ['training', 'deep', 'all'];
export const FROM_DEEP: readonly Mode[] = ['deep', 'all'];
export const ONLY_ALL: readonly Mode[] = ['all'];

export const onIn =
  (modes: readonly Mode[]) =>
  ({ mode }: Situation): string =>
    String(modes.includes(mode));

/** As {@link onIn}, and off with the metrics of the host: who wants none of them gets GPUs only. */
export const onHostIn =
  (modes: readonly Mode[]) =>
  ({ mode, hostMetrics }: Situation): string =>
    String(hostMetrics && modes.includes(mode));
