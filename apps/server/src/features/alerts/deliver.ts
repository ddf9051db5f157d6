import { type Channel, channelSchema } from '@candela/contract';
import { CandelaError, type Clock } from '@candela/kernel';
import type { MetadataStore, StoredDelivery, StoredDestination } from '@candela/metadata-store';
import type { Envelope } from '@candela/vault';
import { PermanentError, DeferredError } from '../../jobs/work-through.ts';
import type { AlertMessage, OpenDestination } from './channels/channel.ts';
import { send, SendError, type SendParts } from './channels/send.ts';
import { definitionOf, eventView } from './stored.ts';

export interface DeliverParts {
  readonly metadata: MetadataStore;
  readonly envelope: Envelope;
  readonly clock: Clock;
  readonly send: SendParts;
  readonly publicUrl: string | undefined;
}

/** Waits after each attempt, in milliseconds; after the last there is none. */
const RETRY_MS = [5_000, 30_000, 120_000, 600_000, 3_600_000, 21_600_000] as const;
export const MAX_ATTEMPTS = RETRY_MS.length + 1;

export const secretPlace = (id: string, column: 'secret' | 'secret_before' = 'secret') => ({
  table: 'alert_destinations',
  column,
  id,
});

/** Address of the page of an alert. */
export const pageOf = (publicUrl: string | undefined, alertId: string): string => {
  const path = `/alerts/${alertId}`;
  return publicUrl === undefined ? path : new URL(path, publicUrl).href;
};

/** A destination with its secrets open. @throws secret_unreadable */
export function openDestination(
  { envelope, clock }: Pick<DeliverParts, 'envelope' | 'clock'>,
  stored: StoredDestination,
): OpenDestination {
  const channel: Channel = channelSchema.parse(JSON.parse(stored.channel));
  const counts = stored.beforeUntil !== null && stored.beforeUntil > clock.now();
  return {
    channel,
    secret: stored.secret === null ? null : envelope.open(stored.secret, secretPlace(stored.id)),
    secretBefore:
      stored.secretBefore === null || !counts
        ? null
        : envelope.open(stored.secretBefore, secretPlace(stored.id, 'secret_before')),
  };
}

/**
 * Sends the message of one delivery. A process that ends between sending and noting leaves it to be sent again with the
 * same id. @throws PermanentError, DeferredError
 */
export async function deliver(parts: DeliverParts, id: string, signal: AbortSignal): Promise<void> {
  const { metadata } = parts;
  const delivery = await metadata.alertDeliveries.begin(id);
  if (delivery === undefined) return;
  const end = async (why: string): Promise<never> => {
    await metadata.alertDeliveries.note(id, why, true);
    throw new PermanentError(why);
  };
  let stored: StoredDestination;
  let message: AlertMessage;
  try {
    stored = await metadata.alertDestinations.get(delivery.projectId, delivery.destinationId);
    message = await messageOf(parts, delivery);
  } catch (thrown) {
    if (thrown instanceof CandelaError && thrown.code === 'not_found') return end(thrown.message);
    throw thrown;
  }
  if (!stored.enabled) return end('The destination is switched off.');
  if (message.events.length === 0) return end('Its events are gone.');
  try {
    await send(parts.send, message, openDestination(parts, stored), signal);
  } catch (thrown) {
    if (signal.aborted) throw thrown;
    const failure =
      thrown instanceof SendError
        ? thrown
        : new SendError(thrown instanceof CandelaError ? thrown.message : 'It could not be sent.', {
            retryable: false,
          });
    await metadata.alertDestinations.note(stored.id, failure.message, failure.isGone);
    const wait = RETRY_MS[delivery.attempts - 1];
    if (!failure.retryable || wait === undefined) return end(failure.message);
    await metadata.alertDeliveries.note(id, failure.message, false);
    const asked = (failure.retryAfterSeconds ?? 0) * 1_000;
    throw new DeferredError(failure.message, Math.max(wait, asked), { counted: true });
  }
  await metadata.alertDeliveries.note(id, null, true);
  if (stored.problem !== null) await metadata.alertDestinations.note(stored.id, null);
}

async function messageOf(parts: DeliverParts, delivery: StoredDelivery): Promise<AlertMessage> {
  const { metadata, clock, publicUrl } = parts;
  const stored = await metadata.alerts.get(delivery.projectId, delivery.alertId);
  const alert = definitionOf(stored);
  const events = await metadata.alerts.eventsByIds(delivery.projectId, delivery.events);
  return {
    id: delivery.id,
    sentAt: clock.now(),
    isTest: false,
    alert: {
      id: stored.id,
      name: alert.name,
      description: alert.description,
      environment: stored.environment,
      labels: alert.labels,
    },
    events: events.map((event) => eventView(event, alert)),
    url: pageOf(publicUrl, stored.id),
  };
}
