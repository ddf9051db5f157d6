import { Counter, Gauge, Histogram, type Registry } from 'prom-client';
import type { ErrorCode, Signal } from '@candela/kernel';
import type { IngestLogStats } from '@candela/telemetry-store';
import type { ReceiverName } from './types.ts';

export interface IngestMetricsSources {
  readonly logStats: () => IngestLogStats;
  readonly pendingBytes: () => number;
  readonly decodeQueue: () => number;
}

/** Everything the receivers count; see `createIngestMetrics`. */
export interface IngestMetrics {
  request(receiver: ReceiverName, signal: Signal | 'unknown', status: string, seconds: number): void;
  /** A whole request was refused; `reason` is the error's code. */
  refused(receiver: ReceiverName, signal: Signal | 'unknown', reason: ErrorCode): void;
  records(signal: Signal, accepted: number, reasons: ReadonlyMap<string, number>): void;
  bytes(receiver: ReceiverName, signal: Signal, wire: number, plain: number): void;
  group(group: { table: string; rows: number; bytes: number; seconds: number }): void;
  quarantined(table: string): void;
  duplicate(signal: Signal): void;
  workerLost(): void;
}

const LATENCY_BUCKETS = [0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

/** Registers the metrics of the ingest path; gauges read their sources at every scrape. */
export function createIngestMetrics(registry: Registry, sources: IngestMetricsSources): IngestMetrics {
  const registers = [registry];
  const requests = new Counter({
    name: 'candela_ingest_requests_total',
    help: 'OTLP requests answered, by receiver, signal and status (HTTP status or gRPC code).',
    labelNames: ['receiver', 'signal', 'status'],
    registers,
  });
  const latency = new Histogram({
    name: 'candela_ingest_ack_seconds',
    help: 'Time from the arrival of a request to its answer.',
    labelNames: ['receiver', 'signal'],
    buckets: LATENCY_BUCKETS,
    registers,
  });
  const accepted = new Counter({
    name: 'candela_ingest_records_total',
    help: 'Spans, log records and data points acknowledged.',
    labelNames: ['signal'],
    registers,
  });
  const rejected = new Counter({
    name: 'candela_ingest_rejected_records_total',
    help: 'Records refused inside accepted requests, by reason.',
    labelNames: ['signal', 'reason'],
    registers,
  });
  const refused = new Counter({
    name: 'candela_ingest_refused_requests_total',
    help: 'Requests refused as a whole, by reason (the x-platform-error-code of the answer).',
    labelNames: ['receiver', 'signal', 'reason'],
    registers,
  });
  const wireBytes = new Counter({
    name: 'candela_ingest_wire_bytes_total',
    help: 'Bytes of bodies as received.',
    labelNames: ['receiver', 'signal'],
    registers,
  });
  const plainBytes = new Counter({
    name: 'candela_ingest_plain_bytes_total',
    help: 'Bytes of bodies after decompression.',
    labelNames: ['receiver', 'signal'],
    registers,
  });
  const duplicates = new Counter({
    name: 'candela_ingest_duplicate_requests_total',
    help: 'Requests answered from memory because the same one was stored within the last ten minutes.',
    labelNames: ['signal'],
    registers,
  });
  const groupSeconds = new Histogram({
    name: 'candela_ingest_group_insert_seconds',
    help: 'Duration of one group insert into the store.',
    labelNames: ['table'],
    buckets: [0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30],
    registers,
  });
  const groupRows = new Counter({
    name: 'candela_ingest_stored_rows_total',
    help: 'Rows carried into the store.',
    labelNames: ['table'],
    registers,
  });
  const quarantined = new Counter({
    name: 'candela_ingest_quarantined_requests_total',
    help: 'Acknowledged requests that the store refused as bad data and that were set aside.',
    labelNames: ['table'],
    registers,
  });
  const workersLost = new Counter({
    name: 'candela_ingest_workers_lost_total',
    help: 'Decode workers that died or exceeded the deadline.',
    registers,
  });
  gauge(
    registry,
    'candela_ingest_log_bytes',
    'Size of the write-ahead log on disk.',
    () => sources.logStats().logBytes,
  );
  gauge(
    registry,
    'candela_ingest_log_cap_bytes',
    'Size at which requests are refused.',
    () => sources.logStats().capBytes,
  );
  gauge(
    registry,
    'candela_ingest_backlog_requests',
    'Requests acknowledged but not yet in the store.',
    () => sources.logStats().backlogRequests,
  );
  gauge(
    registry,
    'candela_ingest_lag_seconds',
    'Age of the oldest request that is not yet in the store.',
    () => sources.logStats().oldestAgeMs / 1_000,
  );
  gauge(
    registry,
    'candela_ingest_quarantined_segments',
    'Damaged log segments set aside.',
    () => sources.logStats().quarantinedSegments,
  );
  gauge(
    registry,
    'candela_ingest_free_disk_percent',
    'Free disk of the log.',
    () => sources.logStats().freeDiskPercent,
  );
  gauge(registry, 'candela_ingest_pending_body_bytes', 'Bodies being read or decoded.', sources.pendingBytes);
  gauge(registry, 'candela_ingest_decode_queue', 'Bodies that wait for a worker.', sources.decodeQueue);
  return {
    request(receiver, signal, status, seconds) {
      requests.inc({ receiver, signal, status });
      latency.observe({ receiver, signal }, seconds);
    },
    refused: (receiver, signal, reason) => refused.inc({ receiver, signal, reason }),
    records(signal, count, reasons) {
      if (count > 0) accepted.inc({ signal }, count);
      for (const [reason, number] of reasons) rejected.inc({ signal, reason }, number);
    },
    bytes(receiver, signal, wire, plain) {
      wireBytes.inc({ receiver, signal }, wire);
      plainBytes.inc({ receiver, signal }, plain);
    },
    group({ table, rows, seconds }) {
      groupSeconds.observe({ table }, seconds);
      groupRows.inc({ table }, rows);
    },
    quarantined: (table) => quarantined.inc({ table }),
    duplicate: (signal) => duplicates.inc({ signal }),
    workerLost: () => workersLost.inc(),
  };
}

function gauge(registry: Registry, name: string, help: string, read: () => number): void {
  new Gauge({
    name,
    help,
    registers: [registry],
    collect() {
      this.set(read());
    },
  });
}
