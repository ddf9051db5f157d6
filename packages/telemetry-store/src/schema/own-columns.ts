import { isFactKey } from '@candela/semconv';
import { ATTRIBUTE_COLUMNS } from './attribute-columns.ts';

/** The resource attribute that `ServiceName` is, and those that `Environment` is, the first that is there. */
export const SERVICE_KEY = 'service.name';
export const ENVIRONMENT_KEYS = ['deployment.environment.name', 'deployment.environment'] as const;

const OF_RESOURCES: ReadonlySet<string> = new Set([SERVICE_KEY, ...ENVIRONMENT_KEYS]);

/** Whether what a key of a map says is in a column that every store has: fields read that one. */
export function hasOwnColumn(table: string, map: string, key: string): boolean {
  if (map === 'ResourceAttributes') return OF_RESOURCES.has(key);
  return isFactKey(key) || (table === 'otel_traces' && ATTRIBUTE_COLUMNS.has(key));
}
