import { z } from 'zod';
import { line, revision } from '../rules/liberal.ts';
import { isoTime } from '../telemetry/common.ts';

const address = z.string().min(1).max(2_000);

/** Where messages go, by kind; a new kind adds its line here and its file in the server's `alerts/channels/`. */
export const CHANNELS = {
  webhook: z.strictObject({ kind: z.literal('webhook'), url: address }),
  slack: z.strictObject({ kind: z.literal('slack') }),
  email: z.strictObject({
    kind: z.literal('email'),
    to: z.array(z.email().max(320)).min(1).max(20),
  }),
  pagerduty: z.strictObject({
    kind: z.literal('pagerduty'),
    endpoint: address.default('https://events.pagerduty.com').meta({
      description: 'https://events.eu.pagerduty.com in Europe.',
    }),
  }),
  teams: z.strictObject({ kind: z.literal('teams') }),
  discord: z.strictObject({ kind: z.literal('discord') }),
  opsgenie: z.strictObject({
    kind: z.literal('opsgenie'),
    endpoint: address.default('https://api.opsgenie.com').meta({
      description: 'https://api.eu.opsgenie.com in Europe.',
    }),
  }),
} as const;
export type ChannelKind = keyof typeof CHANNELS;

export const channelSchema = z
  .discriminatedUnion('kind', [
    CHANNELS.webhook,
    CHANNELS.slack,
    CHANNELS.email,
    CHANNELS.pagerduty,
    CHANNELS.teams,
    CHANNELS.discord,
    CHANNELS.opsgenie,
  ])
  .meta({ id: 'AlertChannel' });
export type Channel = z.output<typeof channelSchema>;

export const destinationShape = {
  name: line(100),
  enabled: z.boolean().default(true),
  channel: channelSchema,
  secret: z.string().min(1).max(4_000).optional().meta({
    description:
      'Never answered again. `webhook`: the signing secret `whsec_…`, made when omitted; `slack`, `teams`, `discord`: the address of the incoming webhook; `pagerduty`: the routing key; `opsgenie`: the API key; `email` has none. Omitted in a change: it stays.',
  }),
};

export const destinationSchema = z
  .object({
    id: z.string(),
    name: z.string(),
    enabled: z.boolean(),
    channel: channelSchema,
    hasSecret: z.boolean(),
    problem: z
      .string()
      .nullable()
      .meta({ description: 'Why it was switched off by itself, or last failed.' }),
    revision,
    updatedAt: isoTime,
  })
  .meta({ id: 'AlertDestination' });
export type AlertDestination = z.output<typeof destinationSchema>;

export const deliverySchema = z
  .object({
    id: z.string().meta({ description: 'Sent along, so that a receiver knows a message that comes twice.' }),
    alertId: z.string(),
    alertName: z.string(),
    destinationId: z.string(),
    destinationName: z.string(),
    status: z.enum(['waiting', 'sending', 'sent', 'failed']),
    events: z.number(),
    attempts: z.number(),
    error: z.string().nullable(),
    createdAt: isoTime,
    finishedAt: isoTime.nullable(),
  })
  .meta({ id: 'AlertDelivery' });
export type AlertDelivery = z.output<typeof deliverySchema>;
