import type { Zone } from './format.ts';
import { oneOf, preference } from './preference.ts';

/** Whether times are written in the person's own zone or in UTC. */
export const zonePreference = preference<Zone>('zone', 'local', oneOf('local', 'utc'));
