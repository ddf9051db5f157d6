import { randomBytes } from 'node:crypto';
import type { AlertDestination, AlertInput, BodyOf, Channel, ROUTES } from '@candela/contract';
import { channelSchema } from '@candela/contract';
import { type Clock, fail, type RequestContext } from '@candela/kernel';
import type { Call, DestinationDocument, MetadataStore, StoredDestination } from '@candela/metadata-store';
import type { Envelope } from '@candela/vault';
import { isPrivateAddress } from '../../http/private-address.ts';
import { actorName, type AuditEntry, record } from '../audit/service.ts';
import { channelOf } from './channels/index.ts';
import { send, SendError, type SendParts } from './channels/send.ts';
import { openDestination, pageOf, secretPlace } from './deliver.ts';
import { iso } from './stored.ts';

export interface DestinationParts {
  readonly metadata: MetadataStore;
  readonly envelope: Envelope;
  readonly clock: Clock;
  readonly send: SendParts;
  readonly publicUrl: string | undefined;
}

/** So long the signing secret before still counts. */
const ROTATION_MS = 86_400_000;
const refused = (detail: string) => fail('refused', { detail });
const LOOPBACK_NAME = /^(?:localhost|.*\.localhost)$/i;

/** @throws refused for an address that is none, private, or readable on the way */
function checkAddress(text: string, allowPrivate: boolean): void {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:'))
    throw refused('The address is no http or https URL.');
  if (url.username !== '' || url.password !== '')
    throw refused('Leave user and password out of the address.');
  if (allowPrivate) return;
  if (isPrivateAddress(url.hostname) || LOOPBACK_NAME.test(url.hostname)) {
    throw refused(
      'The address leads to this machine or a private network. PLATFORM_ALERT_PRIVATE_RECEIVERS=true allows that.',
    );
  }
  if (url.protocol === 'http:') throw refused('Messages and secrets can be read on the way: use https.');
}

/** @throws refused */
function checkSecret(channel: Channel, secret: string | null, allowPrivate: boolean): void {
  const kind = channelOf(channel.kind);
  if (kind.secret === 'none') {
    if (secret !== null) throw refused('Mail has no secret: the mail server is PLATFORM_SMTP_URL.');
    return;
  }
  if (secret === null) {
    throw refused(
      kind.secret === 'address' ? 'The address of the incoming webhook is missing.' : 'The key is missing.',
    );
  }
  if (kind.secret === 'address') checkAddress(secret, allowPrivate);
  if (kind.secret === 'signing' && !/^whsec_[A-Za-z0-9+/]{32,88}={0,2}$/.test(secret)) {
    throw refused('A signing secret is whsec_ and 24 to 64 bytes in base64. Leave it out to have one made.');
  }
}

function destinationView(stored: StoredDestination): AlertDestination {
  return {
    id: stored.id,
    name: stored.name,
    enabled: stored.enabled,
    channel: channelSchema.parse(JSON.parse(stored.channel)),
    hasSecret: stored.secret !== null,
    problem: stored.problem,
    revision: stored.revision,
    updatedAt: iso(stored.updatedAt),
  };
}

/** Where messages go: what admins see and change of it. */
export function createDestinations(parts: DestinationParts) {
  const { metadata, envelope, clock } = parts;
  const entry = (verb: 'create' | 'update' | 'delete' | 'test', of: StoredDestination): AuditEntry => ({
    action: `alert-destination.${verb}`,
    objectKind: 'alert-destination',
    objectId: of.id,
    details: { name: of.name },
  });

  /** What is kept, checked and sealed; `made` is a secret that was just made. */
  function written(
    id: string,
    body: BodyOf<typeof ROUTES.createDestination>,
    before: StoredDestination | undefined,
  ): { document: DestinationDocument; made: string | null } {
    const { channel } = body;
    const kind = channelOf(channel.kind);
    if (kind.via === 'http') {
      for (const address of kind.addresses(channel as never)) checkAddress(address, parts.send.allowPrivate);
    }
    const old =
      before === undefined || JSON.parse(before.channel).kind !== channel.kind || before.secret === null
        ? null
        : envelope.open(before.secret, secretPlace(id));
    const made =
      kind.secret === 'signing' && body.secret === undefined && old === null
        ? `whsec_${randomBytes(32).toString('base64')}`
        : null;
    const secret = body.secret ?? made ?? old;
    checkSecret(channel, secret, parts.send.allowPrivate);
    const rotates = kind.secret === 'signing' && old !== null && secret !== old;
    return {
      made,
      document: {
        name: body.name,
        enabled: body.enabled,
        channel: JSON.stringify(channel),
        secret: secret === null ? null : envelope.seal(secret, secretPlace(id)),
        secretBefore: rotates
          ? envelope.seal(old, secretPlace(id, 'secret_before'))
          : (before?.secretBefore ?? null),
        beforeUntil: rotates ? clock.now() + ROTATION_MS : (before?.beforeUntil ?? null),
      },
    };
  }

  return {
    list: async ({ projectId }: RequestContext) =>
      (await metadata.alertDestinations.list(projectId)).map(destinationView),

    create(context: RequestContext, body: BodyOf<typeof ROUTES.createDestination>, call: Call | undefined) {
      const id = crypto.randomUUID();
      const { document, made } = written(id, body, undefined);
      return metadata.change(call, async (repositories) => {
        const stored = await repositories.alertDestinations.create(context.projectId, id, document);
        await record(repositories, context, entry('create', stored));
        // A repeated call is given its answer again, which is kept: a secret is not in it.
        return { destination: destinationView(stored), secret: call === undefined ? made : null };
      });
    },

    async update(
      context: RequestContext,
      id: string,
      body: BodyOf<typeof ROUTES.updateDestination>,
      call: Call | undefined,
    ) {
      const before = await metadata.alertDestinations.get(context.projectId, id);
      const { revision, ...rest } = body;
      const { document, made } = written(id, rest, before);
      return metadata.change(call, async (repositories) => {
        const stored = await repositories.alertDestinations.replace(context.projectId, id, {
          revision: revision ?? before.revision,
          destination: document,
        });
        await record(repositories, context, entry('update', stored));
        return { destination: destinationView(stored), secret: call === undefined ? made : null };
      });
    },

    delete: (context: RequestContext, id: string, call: Call | undefined) =>
      metadata.change(call, async (repositories) => {
        const stored = await repositories.alertDestinations.get(context.projectId, id);
        await repositories.alertDestinations.delete(context.projectId, id);
        // Alerts tell it no more: one that names what is gone could not be saved again.
        for (const alert of await repositories.alerts.list(context.projectId)) {
          const definition = JSON.parse(alert.definition) as AlertInput;
          if (!definition.destinations.includes(id)) continue;
          const destinations = definition.destinations.filter((one) => one !== id);
          await repositories.alerts.replace(context.projectId, alert.id, {
            revision: undefined,
            alert: { ...alert, definition: JSON.stringify({ ...definition, destinations }) },
            by: actorName(context),
            forget: false,
          });
        }
        await record(repositories, context, entry('delete', stored));
        return { id };
      }),

    /** Sends a message now, whether it is switched on or not. */
    async test(context: RequestContext, id: string, signal: AbortSignal) {
      const stored = await metadata.alertDestinations.get(context.projectId, id);
      await metadata.change(undefined, (repositories) =>
        record(repositories, context, entry('test', stored)),
      );
      const now = clock.now();
      const about = { id: 'test', name: stored.name };
      try {
        await send(
          parts.send,
          {
            id: `test_${crypto.randomUUID()}`,
            sentAt: now,
            isTest: true,
            alert: { ...about, description: '', environment: context.environment ?? null, labels: {} },
            events: [
              {
                id: `test_${now}`,
                alertId: 'test',
                alertName: stored.name,
                severity: 'info',
                status: 'occurred',
                at: iso(now),
                recordedAt: iso(now),
                groupKey: 'test',
                labels: {},
                value: null,
                summary: 'This is a test. Nothing is wrong.',
                silenced: false,
                link: null,
              },
            ],
            url: pageOf(parts.publicUrl, '').replace(/\/$/, ''),
          },
          openDestination(parts, stored),
          signal,
        );
        await metadata.alertDestinations.note(stored.id, null);
        return { sent: true, error: null };
      } catch (thrown) {
        if (!(thrown instanceof SendError)) throw thrown;
        await metadata.alertDestinations.note(stored.id, thrown.message);
        return { sent: false, error: thrown.message };
      }
    },
  };
}
