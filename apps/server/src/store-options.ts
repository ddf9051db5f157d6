import { join } from 'node:path';
import type { Logger } from '@candela/kernel';
import { EMBEDDED_DATABASE, type TelemetryStoreOptions } from '@candela/telemetry-store';
import type { Config } from './config.ts';

/** The embedded engine below the data directory, or the ClickHouse that the configuration names. */
export function storeOptions(config: Config, logger: Logger): TelemetryStoreOptions {
  const { attributeColumns, textIndex } = config;
  if (config.clickhouseUrl === undefined) {
    return {
      kind: 'embedded',
      dataDir: join(config.dataDir, 'telemetry'),
      attributeColumns,
      textIndex,
      logger,
    };
  }
  const url = new URL(config.clickhouseUrl);
  const database = decodeURIComponent(url.pathname.slice(1));
  return {
    kind: 'url',
    url: `${url.protocol}//${url.host}`,
    username: decodeURIComponent(url.username) || 'default',
    password: decodeURIComponent(url.password),
    database: database === '' ? EMBEDDED_DATABASE : database,
    ...(config.clickhouseCluster === undefined ? {} : { cluster: config.clickhouseCluster }),
    attributeColumns,
    textIndex,
    logger,
  };
}
