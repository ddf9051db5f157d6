export * from './schema/expressions.ts';
export * from './schema/tables.ts';
export {
  type EmbeddedOptions,
  EMBEDDED_DATABASE,
  openTelemetryStore,
  type SelectOptions,
  type StoreHealth,
  type StoreState,
  type TelemetryStore,
  type TelemetryStoreOptions,
  type UrlOptions,
} from './client/store.ts';
export { StoreError } from './client/errors.ts';
export { DirectoryLockedError } from './engine-host/supervisor.ts';
export type { EngineCaps } from './engine-host/protocol.ts';
export { MigrationError } from './migrations/migrate.ts';
export {
  type IngestLog,
  type IngestLogOptions,
  type IngestLogStats,
  openIngestLog,
} from './writer/ingest-log.ts';
export type { GroupSink } from './writer/group-insert/inserter.ts';
export type { AppendRequest } from './writer/wal/appender.ts';
export {
  createModelCallRegistry,
  type EncodeContext,
  type EncodedBlock,
  encodeRequest,
  type EncodeResult,
} from './writer/encode/index.ts';
export * from './queries/index.ts';
