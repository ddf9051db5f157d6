export * from './schema/expressions.ts';
export * from './schema/tables.ts';
export {
  EMBEDDED_DATABASE,
  inspectServer,
  openTelemetryStore,
  startEmbeddedEngine,
} from './client/open.ts';
export { guardedLookup, isRefusedAddress, RefusedAddressError } from './client/address-guard.ts';
export type {
  CommandOptions,
  EmbeddedEngine,
  EmbeddedOptions,
  Inspection,
  NativeParts,
  SelectOptions,
  StoreHealth,
  StoreState,
  TableReads,
  TelemetryStore,
  TelemetryStoreOptions,
  TlsOptions,
  UrlOptions,
} from './client/types.ts';
export { StoreError } from './client/errors.ts';
export { DirectoryLockedError } from './engine-host/supervisor.ts';
export { SMALL_CAPS } from './engine-host/default-caps.ts';
export { machineMemory } from './engine-host/machine-memory.ts';
export type { EngineCaps } from './engine-host/protocol.ts';
export { MigrationError } from './migrations/migrate.ts';
export {
  type IngestLog,
  type IngestLogEvents,
  type IngestLogOptions,
  type IngestLogStats,
  openIngestLog,
} from './writer/ingest-log.ts';
export { lockDirectory } from './writer/wal/lock.ts';
export {
  type EraseInput,
  eraseUser,
  MOST_ERASED_IDS,
  stayingSpans,
  tracesOfUser,
} from './retention/erase-user.ts';
export { type PruneInput, pruneProject } from './retention/prune.ts';
export { sampledProjects, sampleTraces, type SamplingRules } from './retention/sample-traces.ts';
export { ONE_IN } from './schema/weight.ts';
export {
  fileOfDay,
  type ProjectDay,
  projectDays,
  readProjectDay,
  writeProjectDay,
} from './transfer/project.ts';
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
export * from './sql-gate/index.ts';
