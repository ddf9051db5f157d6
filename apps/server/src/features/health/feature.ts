import type { FeatureParts } from '../feature.ts';
import { healthHandlers } from './routes.ts';

/** Whether the platform works, for people and for what restarts it. */
export function healthFeature({ version, phase, stores, logs }: FeatureParts) {
  const store = () => stores.builtIn.health();
  return { name: 'health', handlers: healthHandlers({ version, phase, store, log: () => logs }) };
}
