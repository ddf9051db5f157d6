import { fail } from '@candela/kernel';
import { hostName, isLoopbackAddress, isLoopbackName } from './addresses.ts';

/** What of a request says where it came from. */
export interface Sender {
  /** Value of a header by lower-case name; several of one name joined by `, `. */
  readonly headers: (name: string) => string | undefined;
  /** Peer address of the socket. Never taken from a header. */
  readonly remoteAddress: string;
  readonly endpoint: 'otlp' | 'api';
}

const FORWARDING_HEADERS = [
  'forwarded',
  'x-forwarded-for',
  'x-forwarded-host',
  'x-forwarded-proto',
  'x-real-ip',
  'via',
];
/** `Sec-Fetch-Site` of our own page, and of an address that a person typed. */
const OWN_SITES = new Set(['same-origin', 'none']);
const ANOTHER_ORIGIN = 'This request came from another web origin. From there it needs an API key.';

const hostOf = ({ headers }: Sender): string | undefined => headers('host') ?? headers(':authority');

/** Whether a request comes from a program of this machine itself: no proxy, no address beyond loopback. */
export function isLocal(sender: Sender): boolean {
  return (
    isLoopbackAddress(sender.remoteAddress) &&
    FORWARDING_HEADERS.every((name) => sender.headers(name) === undefined)
  );
}

/** Not a web page whose name was rebound to this machine. @throws forbidden */
export function requireLocalName(sender: Sender): void {
  const header = hostOf(sender);
  const host = header === undefined ? undefined : hostName(header);
  if (header === undefined || (host !== undefined && isLoopbackName(host))) return;
  throw fail('forbidden', {
    detail:
      'Without an API key only requests to localhost are answered. Use http://localhost, or send a key.',
  });
}

/**
 * A browser asks for our own page only. What another page asks for it could not read, but it could change things with
 * the cookie, or hold what a reader has few of: event streams. `Sec-Fetch-Site` and `Origin` are told by the browser,
 * not by the page; `required`: an `Origin` must be there, because something is changed with a cookie.
 * @throws forbidden
 */
export function requireSameOrigin(sender: Sender, publicUrl: string | undefined, required: boolean): void {
  const refuse = () => fail('forbidden', { detail: ANOTHER_ORIGIN });
  const site = sender.endpoint === 'api' ? sender.headers('sec-fetch-site') : undefined;
  if (site !== undefined && !OWN_SITES.has(site)) throw refuse();
  const origin = sender.headers('origin');
  if (origin === undefined) {
    if (!required) return;
    throw fail('forbidden', {
      detail: 'A change with the cookie of a session needs the header Origin, as browsers send it.',
    });
  }
  const url = URL.canParse(origin) ? new URL(origin) : undefined;
  // A page in the browser of this machine may send telemetry; only our own page may ask and change anything.
  const allowed =
    url !== undefined &&
    (sender.endpoint === 'otlp'
      ? isLoopbackName(url.hostname.toLowerCase())
      : url.host === hostOf(sender)?.trim().toLowerCase() ||
        (publicUrl !== undefined && origin === new URL(publicUrl).origin));
  if (!allowed) throw refuse();
}
