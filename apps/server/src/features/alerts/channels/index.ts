import type { ChannelKind } from '@candela/contract';
import type { HttpChannel, MailChannel } from './channel.ts';
import { discord } from './discord.ts';
import { email } from './email.ts';
import { opsgenie } from './opsgenie.ts';
import { pagerduty } from './pagerduty.ts';
import { slack } from './slack.ts';
import { teams } from './teams.ts';
import { webhook } from './webhook.ts';

type AnyChannel<Kind extends ChannelKind> = HttpChannel<Kind> | MailChannel<Kind>;

/** Every kind of destination; the registry. */
const CHANNEL_KINDS: { readonly [Kind in ChannelKind]: AnyChannel<Kind> } = {
  webhook,
  slack,
  email,
  pagerduty,
  teams,
  discord,
  opsgenie,
};

/** The kind of a destination, for whoever does not know which it is. */
export const channelOf = (kind: ChannelKind): AnyChannel<ChannelKind> =>
  CHANNEL_KINDS[kind] as unknown as AnyChannel<ChannelKind>;
