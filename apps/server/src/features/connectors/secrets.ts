import type { StoredConnector } from '@candela/metadata-store';
import type { TlsOptions, UrlOptions } from '@candela/telemetry-store';
import { fail, type Logger } from '@candela/kernel';
import type { Envelope, Place } from '@candela/vault';

/** What is kept sealed of a connector. */
export interface ConnectorSecrets {
  readonly password: string;
  readonly ca: string | null;
  readonly clientCertificate: string | null;
  readonly clientKey: string | null;
}

const NO_SECRETS: ConnectorSecrets = {
  password: '',
  ca: null,
  clientCertificate: null,
  clientKey: null,
};

export const placeOf = (id: string): Place => ({ table: 'connectors', column: 'secrets', id });

/** @throws secret_unreadable */
export function secretsOf(connector: StoredConnector, envelope: Envelope): ConnectorSecrets {
  if (connector.secrets === null) return NO_SECRETS;
  const given = JSON.parse(envelope.open(connector.secrets, placeOf(connector.id))) as ConnectorSecrets;
  return { ...NO_SECRETS, ...given };
}

/** How to reach the server of a connector. @throws secret_unreadable */
export function urlOptions(connector: StoredConnector, envelope: Envelope, logger: Logger): UrlOptions {
  const { url, username, database, allowInsecure } = connector;
  if (url === null || username === null) throw fail('internal');
  const secrets = secretsOf(connector, envelope);
  const tls: TlsOptions = {
    insecure: allowInsecure,
    ...(secrets.ca === null ? {} : { ca: secrets.ca }),
    ...(secrets.clientCertificate === null ? {} : { certificate: secrets.clientCertificate }),
    ...(secrets.clientKey === null ? {} : { key: secrets.clientKey }),
  };
  return { kind: 'url', url, username, password: secrets.password, database, tls, guarded: true, logger };
}
