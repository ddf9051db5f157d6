import { fail } from '@candela/kernel';
import { isRefusedAddress } from '@candela/telemetry-store';

const REFUSED = (detail: string) => fail('refused', { detail });
const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/;

/**
 * The address of a server as it is kept: scheme, host and port. What a name leads to is looked at again whenever it is
 * connected to. @throws refused
 */
export function serverAddress(text: string, allowInsecure: boolean): string {
  const url = URL.canParse(text) ? new URL(text) : undefined;
  if (url === undefined || (url.protocol !== 'http:' && url.protocol !== 'https:')) {
    throw REFUSED('The address is no http or https URL. Write it like https://clickhouse.example.com:8443.');
  }
  if (url.username !== '' || url.password !== '') {
    throw REFUSED('User and password have fields of their own: leave them out of the URL.');
  }
  if ((url.pathname !== '/' && url.pathname !== '') || url.search !== '' || url.hash !== '') {
    throw REFUSED('The URL ends with host and port: the database has a field of its own.');
  }
  if (isRefusedAddress(url.hostname)) throw REFUSED('The address is one that connectors may not lead to.');
  if (url.protocol === 'http:' && !LOOPBACK.test(url.hostname) && !allowInsecure) {
    throw REFUSED(
      'Over plain http the password and all telemetry can be read on the way. Use https, or say that this is meant (allowInsecure).',
    );
  }
  return url.origin;
}
