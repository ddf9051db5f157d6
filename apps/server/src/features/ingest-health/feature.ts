import type { FeatureParts } from '../feature.ts';
import { ingestHealthHandlers } from './routes.ts';

/** What was received, refused and is still on its way to the store. */
export function ingestHealthFeature({ ingest, logs, stores, config, clock }: FeatureParts) {
  const { minFreeDiskPercent } = config;
  const store = () => stores.builtIn.health();
  return {
    name: 'ingest-health',
    handlers: ingestHealthHandlers({ ingest, log: logs, store, minFreeDiskPercent, clock }),
  };
}
