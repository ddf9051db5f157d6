import { createHmac } from 'node:crypto';
import { type AlertMessage, type HttpChannel, isBad } from './channel.ts';

/**
 * Signature of Standard Webhooks 1.0.0: `v1,<base64 of HMAC-SHA256 over "id.timestamp.body">`.
 * @param secret `whsec_<base64>`
 * @param timestamp seconds since 1970
 */
export function signature(secret: string, id: string, timestamp: number, body: string): string {
  const key = Buffer.from(secret.replace(/^whsec_/, ''), 'base64');
  return `v1,${createHmac('sha256', key).update(`${id}.${timestamp}.${body}`).digest('base64')}`;
}

/** What a webhook is sent; the same members at every version. */
const bodyOf = (message: AlertMessage) => ({
  type: message.isTest ? 'alert.test' : message.events.some(isBad) ? 'alert.firing' : 'alert.resolved',
  timestamp: new Date(message.sentAt).toISOString(),
  data: { alert: message.alert, url: message.url, events: message.events },
});

/** A POST with the signature of Standard Webhooks; while a secret is rotated there are two signatures. */
export const webhook: HttpChannel<'webhook'> = {
  via: 'http',
  secret: 'signing',
  addresses: ({ url }) => [url],
  calls(message, { channel, secret, secretBefore }) {
    const body = JSON.stringify(bodyOf(message));
    const timestamp = Math.floor(message.sentAt / 1_000);
    const secrets = [secret, secretBefore].filter((one) => one !== null);
    return [
      {
        url: channel.url,
        headers: {
          'content-type': 'application/json',
          'webhook-id': message.id,
          'webhook-timestamp': String(timestamp),
          'webhook-signature': secrets.map((one) => signature(one, message.id, timestamp, body)).join(' '),
        },
        body,
      },
    ];
  },
};
