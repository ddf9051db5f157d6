import { setTimeout as wait } from 'node:timers/promises';
import { Client, credentials, Metadata, type ServiceError, status } from '@grpc/grpc-js';
import type { ExportResponse, IExporterTransport } from '@opentelemetry/otlp-exporter-base';

/** Contents of PEM files; undefined: the system's, or none. */
export interface TlsFiles {
  readonly ca: Buffer | undefined;
  readonly cert: Buffer | undefined;
  readonly key: Buffer | undefined;
}

const METHOD = '/opentelemetry.proto.collector.metrics.v1.MetricsService/Export';
const MAX_ATTEMPTS = 5;
const FIRST_BACKOFF_MS = 1_000;
const MAX_BACKOFF_MS = 5_000;
/** An answer is a few bytes; more than this is not one. */
const MAX_RESPONSE_BYTES = 4_194_304;
const GZIP = 2;

/** The codes after which OTLP says to try again. */
const RETRYABLE: ReadonlySet<number> = new Set([
  status.CANCELLED,
  status.DEADLINE_EXCEEDED,
  status.ABORTED,
  status.OUT_OF_RANGE,
  status.UNAVAILABLE,
  status.DATA_LOSS,
]);

export interface GrpcTransportOptions {
  /** `host:port` or `unix:path`. */
  readonly target: string;
  readonly tls: boolean;
  readonly files: TlsFiles;
  readonly headers: ReadonlyMap<string, string>;
  readonly gzip: boolean;
  readonly userAgent: string;
}

/** Sends requests of OTLP over gRPC, again where that can help. The SDK's own gRPC transport never tries twice. */
export class GrpcTransport implements IExporterTransport {
  readonly #client: Client;
  readonly #metadata = new Metadata();
  readonly #stopped = new AbortController();

  constructor({ target, tls, files, headers, gzip, userAgent }: GrpcTransportOptions) {
    for (const [name, value] of headers) this.#metadata.set(name, value);
    const { ca = null, key = null, cert = null } = files;
    this.#client = new Client(
      target,
      tls ? credentials.createSsl(ca, key, cert) : credentials.createInsecure(),
      {
        'grpc.primary_user_agent': userAgent,
        'grpc.max_receive_message_length': MAX_RESPONSE_BYTES,
        'grpc.enable_retries': 0,
        ...(gzip ? { 'grpc.default_compression_algorithm': GZIP } : {}),
      },
    );
  }

  async send(data: Uint8Array, timeoutMillis: number): Promise<ExportResponse> {
    const deadline = Date.now() + timeoutMillis;
    for (let attempt = 1; ; attempt += 1) {
      const response = await this.#sendOnce(data, deadline);
      if (response.status !== 'retryable' || attempt === MAX_ATTEMPTS) return response;
      const backoff = Math.min(FIRST_BACKOFF_MS * 2 ** (attempt - 1), MAX_BACKOFF_MS);
      // Spread, so that a fleet does not come back in step.
      const pause = backoff * (0.8 + Math.random() * 0.4);
      if (Date.now() + pause >= deadline) return response;
      try {
        await wait(pause, undefined, { signal: this.#stopped.signal });
      } catch {
        return response;
      }
    }
  }

  #sendOnce(data: Uint8Array, deadline: number): Promise<ExportResponse> {
    return new Promise((resolve) => {
      this.#client.makeUnaryRequest(
        METHOD,
        (bytes: Buffer) => bytes,
        (bytes: Buffer) => bytes,
        Buffer.from(data.buffer, data.byteOffset, data.byteLength),
        this.#metadata,
        { deadline },
        (error: ServiceError | null, response?: Buffer) => {
          if (error === null)
            resolve({ status: 'success', ...(response === undefined ? {} : { data: response }) });
          else resolve({ status: RETRYABLE.has(error.code) ? 'retryable' : 'failure', error });
        },
      );
    });
  }

  shutdown(): void {
    this.#stopped.abort();
    this.#client.close();
  }
}
