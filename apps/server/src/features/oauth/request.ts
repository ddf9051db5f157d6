import { IncomingMessage } from 'node:http';
import { fail } from '@candela/kernel';
import { receive } from '../../http/receive.ts';
import { Gatherer } from '../../ingest/gatherer.ts';

/** Of a form with a code, a verifier and a secret. The library takes little more. */
const MAX_BODY_BYTES = 32_768;

/** Seconds. */
export const OAUTH_TTL = {
  accessToken: 3_600,
  code: 60,
  /** From the redirect to the page until the person has decided. */
  interaction: 600,
  /** Every refresh gives a new one; one that is not used for so long is void. */
  refreshToken: 30 * 86_400,
  /** After this the person is asked again. */
  grant: 90 * 86_400,
} as const;

/** A permission that a person gave; what is remembered of it beside what the library needs. */
export const ALLOWED = 'Allowed';

/** The library's own cookie of a session, which is dropped. */
export const SESSION_COOKIE = 'candela_oauth_session';

/**
 * Prepares a request for the library: it takes host and scheme from where people reach the platform, never from the
 * sender, and no session of an earlier request.
 */
export function prepare(request: IncomingMessage, issuer: string): void {
  const { host, protocol } = new URL(issuer);
  request.headers.host = host;
  request.headers['x-forwarded-host'] = host;
  request.headers['x-forwarded-proto'] = protocol.slice(0, -1);
  delete request.headers['x-forwarded-for'];
  const { cookie } = request.headers;
  if (cookie !== undefined) {
    request.headers.cookie = cookie
      .split(';')
      .filter((each) => !each.trim().startsWith(SESSION_COOKIE))
      .join(';');
  }
}

/**
 * The same request with its body there as a whole. The library would keep it part by part as it comes, before it knows who
 * asks, and a part of a single byte takes four hundred. @throws too_large, bad_request (the sender went away)
 */
export async function withBody(request: IncomingMessage): Promise<IncomingMessage> {
  const gatherer = new Gatherer(0);
  await receive(request, (chunk) => {
    if (gatherer.length + chunk.length > MAX_BODY_BYTES) throw fail('too_large', { limit: MAX_BODY_BYTES });
    gatherer.add(chunk);
  });
  const whole = new IncomingMessage(request.socket);
  const { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor } = request;
  Object.assign(whole, { method, url, headers, rawHeaders, httpVersion, httpVersionMajor, httpVersionMinor });
  whole.complete = true;
  if (gatherer.length > 0) whole.push(gatherer.finish());
  whole.push(null);
  return whole;
}
