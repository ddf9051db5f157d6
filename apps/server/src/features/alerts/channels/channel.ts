import type { AlertEvent, Channel, ChannelKind } from '@candela/contract';

/** What is told: the events of one message. Texts of events come from telemetry: they are an attacker's. */
export interface AlertMessage {
  /** The same for every attempt, so that receivers know a message that comes twice. */
  readonly id: string;
  /** Epoch milliseconds. */
  readonly sentAt: number;
  readonly isTest: boolean;
  readonly alert: {
    readonly id: string;
    readonly name: string;
    readonly description: string;
    readonly environment: string | null;
    readonly labels: Readonly<Record<string, string>>;
  };
  readonly events: readonly AlertEvent[];
  /** Address of the page of the alert; a path where the platform does not know its own address. */
  readonly url: string;
}

/** A destination with its secrets open. */
export interface OpenDestination<Kind extends ChannelKind = ChannelKind> {
  readonly channel: Extract<Channel, { kind: Kind }>;
  readonly secret: string | null;
  /** The secret before, while it still counts. */
  readonly secretBefore: string | null;
}

export interface HttpCall {
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A kind of destination that is one or more requests. */
export interface HttpChannel<Kind extends ChannelKind> {
  readonly via: 'http';
  /** What its secret is. `address`: the address itself is secret. */
  readonly secret: 'address' | 'key' | 'signing';
  /** Addresses in its settings, which are checked when it is saved. */
  addresses(channel: Extract<Channel, { kind: Kind }>): readonly string[];
  calls(message: AlertMessage, destination: OpenDestination<Kind>): readonly HttpCall[];
}

/** A kind of destination that is a mail. */
export interface MailChannel<Kind extends ChannelKind> {
  readonly via: 'mail';
  readonly secret: 'none';
  mail(
    message: AlertMessage,
    destination: OpenDestination<Kind>,
  ): { readonly to: readonly string[]; readonly subject: string; readonly text: string };
}

export const json = (
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): HttpCall => ({
  url,
  headers: { 'content-type': 'application/json', ...headers },
  body: JSON.stringify(body),
});

/** Whether there is something wrong now. */
export const isBad = ({ status }: Pick<AlertEvent, 'status'>): boolean => status !== 'resolved';

/** One line that says what a message is about. */
export function titleOf({ isTest, events, alert }: AlertMessage): string {
  if (isTest) return `Test of a destination: ${alert.name}`;
  const bad = events.filter(isBad).length;
  const good = events.length - bad;
  const counts = [...(bad > 0 ? [`${bad} firing`] : []), ...(good > 0 ? [`${good} resolved`] : [])].join(
    ', ',
  );
  return events.length === 1
    ? `${bad > 0 ? 'Firing' : 'Resolved'}: ${alert.name}`
    : `${alert.name}: ${counts}`;
}

/** Lines that a person reads, at most so many. */
export const shownEvents = ({ events }: AlertMessage, most: number) => ({
  shown: events.slice(0, most),
  more: Math.max(0, events.length - most),
});

export const WORD = {
  firing: 'firing',
  resolved: 'resolved',
  no_data: 'no data',
  error: 'error',
  occurred: 'new',
} as const satisfies Record<AlertEvent['status'], string>;
