import type { SamplingRules } from '@candela/telemetry-store';

/** Which traces are kept once a day is over. */
export interface Sampling extends Omit<SamplingRules, 'oneIn'> {
  /** Of the traces that no rule keeps, one of so many stays; 1: all. */
  readonly oneIn: number;
  readonly projects: ReadonlyMap<string, number>;
  readonly afterMs: number;
}

/** One of how many ordinary traces of a project stays. */
export const oneInOf = ({ oneIn, projects }: Sampling, projectId: string): number =>
  projects.get(projectId) ?? oneIn;

/** Whether spans of a project may stand for others: it is sampled, or is named because it was. */
export const mayBeSampled = ({ oneIn, projects }: Sampling, projectId: string): boolean =>
  oneIn > 1 || projects.has(projectId);
