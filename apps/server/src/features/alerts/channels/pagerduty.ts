import { type HttpChannel, json } from './channel.ts';

/** Events API v2: one incident a group. A message that comes twice has the same `dedup_key`. */
export const pagerduty: HttpChannel<'pagerduty'> = {
  via: 'http',
  secret: 'key',
  addresses: ({ endpoint }) => [endpoint],
  calls: (message, { channel, secret }) =>
    message.events.map((event) => {
      const occurred = event.status === 'occurred';
      return json(`${channel.endpoint.replace(/\/+$/, '')}/v2/enqueue`, {
        routing_key: secret,
        event_action: event.status === 'resolved' ? 'resolve' : 'trigger',
        dedup_key: `candela/${event.alertId}/${occurred ? event.id : event.groupKey}`.slice(0, 255),
        client: 'Candela',
        ...(message.url.startsWith('http') ? { client_url: message.url } : {}),
        payload: {
          summary: event.summary.slice(0, 1_024),
          source: message.alert.environment ?? 'candela',
          severity: event.severity,
          timestamp: event.at,
          group: message.alert.name,
          custom_details: { labels: event.labels, value: event.value, event: event.id },
        },
      });
    }),
};
