import type { Random } from '../random.ts';
import type { Recorder, Service } from '../telemetry.ts';

/** A kind of work that happens again and again. */
export interface Scenario {
  readonly id: string;
  /** How often, relative to the others. */
  readonly weight: number;
  /** The service in which the trace begins. */
  readonly service: Service;
  /** Makes the function that records one trace per call; what it remembers between calls (sessions) lives in it. */
  create(random: Random): (rec: Recorder) => void;
}

/** A person, always the same for the same draw, so that users have a history. */
export function userId(random: Random): string {
  return `user-${String(Math.floor(random.unit() ** 2 * 400) + 1).padStart(4, '0')}`;
}
