import type { Limits } from '@candela/otlp';

export interface EncodeContext {
  readonly projectId: string;
  /** From the header; undefined: by the resource's attributes. */
  readonly environment: string | undefined;
  readonly defaultEnvironment: string;
  /** Records of other environments are passed over, as if they were not there. Undefined: all are taken. */
  readonly takes?: ((environment: string) => boolean) | undefined;
  /** Milliseconds since the epoch. */
  readonly receivedAtMs: number;
  /** Of this signal and project, 1 to 65,535. */
  readonly retentionDays: number;
  readonly limits: Limits;
  /** Shared by all workers; see `createModelCallRegistry`. Without it every thread remembers for itself. */
  readonly modelCalls?: SharedArrayBuffer | undefined;
}

/** Rows of one table, encoded: a ClickHouse `Native` block of exactly the table's columns. */
export interface EncodedBlock {
  readonly table: string;
  readonly rows: number;
  /** On its own ArrayBuffer, so that it can be transferred. */
  readonly bytes: Uint8Array;
}

export interface EncodeResult {
  /** None when nothing was accepted. */
  readonly blocks: EncodedBlock[];
  /** Spans, log records or data points. */
  readonly accepted: number;
  readonly rejected: number;
  /** Why, and how many of each. */
  readonly reasons: Map<string, number>;
  /** What was kept but changed: attributes dropped, values or keys cut, links without valid ids left out. */
  readonly adjusted: Map<string, number>;
  /** One sentence for `partial_success`; '' when every record was taken as it came. */
  readonly message: string;
  /** The environments seen. */
  readonly environments: string[];
  /** `<language> <name> <version>` of the SDKs and names of the services whose records these are, eight each at most. */
  readonly sdks: string[];
  readonly services: string[];
}
