import type { Clock, Logger } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';

const DAY_MS = 86_400_000;
const EVERY_MS = 6 * 3_600_000;

/** Forgets events that are older than the setting says, now and four times a day. Returns what stops it. */
export function keepAuditLog(
  metadata: Pick<MetadataStore, 'audit'>,
  options: { readonly days: number; readonly clock: Clock; readonly logger: Logger },
): () => void {
  const prune = async () => {
    try {
      const removed = await metadata.audit.prune(options.clock.now() - options.days * DAY_MS);
      if (removed > 0)
        options.logger.info({ removed, days: options.days }, 'old events of the audit log removed');
    } catch (error) {
      options.logger.warn(
        { err: error },
        'old events of the audit log could not be removed; tried again later',
      );
    }
  };
  void prune();
  const timer = setInterval(() => void prune(), EVERY_MS);
  timer.unref();
  return () => clearInterval(timer);
}
