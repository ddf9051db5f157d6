import { fail } from '@candela/kernel';
import { isRefusedAddress } from '@candela/telemetry-store';

const refused = (detail: string) => fail('refused', { detail });
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The base URL of a model server as it is kept: scheme, host, port and path, without a slash at its end. Private
 * addresses are fine, models of one's own are there; what a name leads to is looked at again with every connection.
 * @throws refused
 */
export function modelAddress(text: string, allowInsecure: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw refused('The base URL is no http or https URL. Write it like http://127.0.0.1:11434/v1.');
  }
  if (url.username !== '' || url.password !== '') {
    throw refused('The base URL takes no user and password. Put the key into the vault and choose it here.');
  }
  if (url.search !== '' || url.hash !== '') {
    throw refused('The base URL ends with its path, such as /v1: leave "?" and "#" out.');
  }
  if (isRefusedAddress(url.hostname)) throw refused('The address is one that models may not lead to.');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && !allowInsecure) {
    throw refused(
      'Over plain http the key and the prompts can be read on the way. Use https, or say that this is meant (allowInsecure).',
    );
  }
  return `${url.origin}${url.pathname.replace(/\/+$/, '')}`;
}
