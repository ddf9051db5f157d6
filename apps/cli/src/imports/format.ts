import type { LogRecord, MetricsRequest, Resource, Scope, Span } from '@candela/otlp';

/** One thing to be sent. A metrics request goes as it is: its points have no ids. */
export type ImportRecord =
  | { readonly signal: 'traces'; readonly resource: Resource; readonly scope: Scope; readonly span: Span }
  | { readonly signal: 'logs'; readonly resource: Resource; readonly scope: Scope; readonly log: LogRecord }
  | { readonly signal: 'metrics'; readonly request: MetricsRequest };

/** What an import is told. */
export interface ImportOptions {
  /** `service.name` of what names no service. */
  readonly service: string;
}

/** Takes down what could not be read, and why. */
export interface ImportNotes {
  /** A row that is left out. `file` and `line`, from 1 on, say where it stands, as far as that is known. */
  skipped(reason: string, file?: string, line?: number): void;
}

/** One format that others export; a new one is a file here and a line in the registry. */
export interface ImportFormat {
  readonly name: string;
  readonly summary: string;
  /** Whether a file is of this format, by its first row; of a binary file only the bytes are there. */
  recognises(row: Row | undefined, head: Uint8Array): boolean;
  /** Every record of the files, in any order. @throws UsageError for a file that cannot be read at all */
  read(files: readonly string[], options: ImportOptions, notes: ImportNotes): AsyncIterable<ImportRecord>;
}

/** An object of a JSON or Parquet file. Its keys are a stranger's. */
export type Row = Readonly<Record<string, unknown>>;
