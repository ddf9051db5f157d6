import { type HttpChannel, json } from './channel.ts';

const PRIORITY = { critical: 'P1', warning: 'P3', info: 'P5' } as const;

/** Alert API: one alert a group, known by its alias. */
export const opsgenie: HttpChannel<'opsgenie'> = {
  via: 'http',
  secret: 'key',
  addresses: ({ endpoint }) => [endpoint],
  calls: (message, { channel, secret }) => {
    const base = `${channel.endpoint.replace(/\/+$/, '')}/v2/alerts`;
    const headers = { authorization: `GenieKey ${secret ?? ''}` };
    return message.events.map((event) => {
      const alias = `candela-${event.alertId}-${event.status === 'occurred' ? event.id : event.groupKey}`;
      if (event.status === 'resolved') {
        const url = `${base}/${encodeURIComponent(alias)}/close?identifierType=alias`;
        return json(url, { source: 'Candela', note: event.summary.slice(0, 1_000) }, headers);
      }
      return json(
        base,
        {
          message: event.summary.slice(0, 130),
          alias: alias.slice(0, 512),
          description: [event.summary, message.alert.description, message.url].join('\n').slice(0, 15_000),
          details: event.labels,
          priority: PRIORITY[event.severity],
          source: 'Candela',
        },
        headers,
      );
    });
  },
};
