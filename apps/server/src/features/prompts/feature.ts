import type { FeatureParts } from '../feature.ts';
import { compiledHandlers } from './compiled.ts';
import { DownloadCounter } from './downloads.ts';
import { promptHandlers } from './routes.ts';

/** The prompt hub. */
export function promptFeature({ metadata, clock, logger, prompts }: FeatureParts) {
  const downloads = new DownloadCounter({ metadata, clock, logger });
  return {
    name: 'prompts',
    handlers: { ...promptHandlers(metadata, clock), ...compiledHandlers({ service: prompts, downloads }) },
    /** Writes the counts that are left. */
    async stop() {
      prompts.stop();
      await downloads.stop();
    },
  };
}
