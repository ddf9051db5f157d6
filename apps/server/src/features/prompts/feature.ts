import type { Clock, Logger } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import type { Handlers } from '../../http/handlers.ts';
import { compiledHandlers } from './compiled.ts';
import { DownloadCounter } from './downloads.ts';
import { promptHandlers } from './routes.ts';
import { createPromptService, type PromptService } from './service.ts';

export interface PromptFeature {
  readonly handlers: ReturnType<typeof promptHandlers> & Pick<Handlers, 'getCompiledPrompt'>;
  /** For features that show or render prompts. */
  readonly service: PromptService;
  /** Writes the counts that are left. */
  stop(): Promise<void>;
}

/** The prompt hub. */
export function createPrompts(parts: {
  readonly metadata: MetadataStore;
  readonly clock: Clock;
  readonly logger: Logger;
}): PromptFeature {
  const service = createPromptService(parts.metadata);
  const downloads = new DownloadCounter(parts);
  return {
    handlers: { ...promptHandlers(parts.metadata, parts.clock), ...compiledHandlers({ service, downloads }) },
    service,
    async stop() {
      service.stop();
      await downloads.stop();
    },
  };
}
