import { mediaRetention } from '../../jobs/media-retention.ts';
import type { FeatureParts } from '../feature.ts';
import { mediaHandlers } from './routes.ts';

/** Media of messages, and the job that removes what is older than the traces that it belongs to. */
export function mediaFeature(parts: FeatureParts) {
  const { metadata, retention } = parts;
  const daysOf = (projectId: string) => retention.of(projectId).traces.days;
  return {
    name: 'media',
    handlers: mediaHandlers(parts),
    jobs: [mediaRetention({ metadata, daysOf })],
  };
}

/** Paths that clients send media to beside of telemetry: with the address of the one they have that of the other. */
export const isMediaPath = (url: string | undefined): boolean =>
  /^\/+api\/public\/media(?:[/?]|$)/.test(url ?? '');
