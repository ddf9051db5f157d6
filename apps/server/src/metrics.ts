import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { TelemetryStore } from '@candela/telemetry-store';
import { Counter, Gauge, Histogram, Registry } from 'prom-client';

/** The platform's own figures, in Prometheus text at `/metrics`. Other parts add theirs to `registry`. */
export interface PlatformMetrics {
  readonly registry: Registry;
  observeRequest(route: string, method: string, status: number, seconds: number): void;
  countUnexpected(kind: 'unhandledRejection' | 'uncaughtException'): void;
  close(): void;
}

const BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10];

export function createMetrics(): PlatformMetrics {
  const registry = new Registry();
  const registers = [registry];
  const requests = new Histogram({
    name: 'candela_http_request_seconds',
    help: 'API requests by route, method and status.',
    labelNames: ['route', 'method', 'status'],
    buckets: BUCKETS,
    registers,
  });
  const unexpected = new Counter({
    name: 'candela_unexpected_errors_total',
    help: 'Errors nobody caught.',
    labelNames: ['kind'],
    registers,
  });
  const delay = monitorEventLoopDelay({ resolution: 20 });
  delay.enable();
  watchProcess(delay, registers);
  return {
    registry,
    observeRequest: (route, method, status, seconds) =>
      requests.observe({ route, method, status: String(status) }, seconds),
    countUnexpected: (kind) => unexpected.inc({ kind }),
    close() {
      delay.disable();
    },
  };
}

function watchProcess(delay: ReturnType<typeof monitorEventLoopDelay>, registers: Registry[]): void {
  const seconds = (nanoseconds: number) => (Number.isFinite(nanoseconds) ? nanoseconds / 1e9 : 0);
  new Gauge({
    name: 'candela_event_loop_delay_seconds',
    help: 'Event-loop delay since the scrape before.',
    labelNames: ['quantile'],
    registers,
    collect() {
      this.set({ quantile: '0.5' }, seconds(delay.percentile(50)));
      this.set({ quantile: '0.99' }, seconds(delay.percentile(99)));
      this.set({ quantile: '1' }, seconds(delay.max));
      delay.reset();
    },
  });
  new Gauge({
    name: 'process_resident_memory_bytes',
    help: 'Resident memory of the server process.',
    registers,
    collect() {
      this.set(process.memoryUsage.rss());
    },
  });
  new Gauge({
    name: 'process_start_time_seconds',
    help: 'When the process started, seconds since the epoch.',
    registers,
    collect() {
      this.set(performance.timeOrigin / 1_000);
    },
  });
}

/** How the telemetry store is, at every reading. */
export function watchStore(store: Pick<TelemetryStore, 'health'>, { registry }: PlatformMetrics): void {
  const registers = [registry];
  new Gauge({
    name: 'candela_engine_restarts',
    help: 'Times the embedded engine was started again.',
    registers,
    collect() {
      this.set(store.health().restarts);
    },
  });
  new Gauge({
    name: 'candela_store_up',
    help: '1 while the telemetry store answers.',
    registers,
    collect() {
      this.set(store.health().state === 'ready' ? 1 : 0);
    },
  });
}

/** How many live views and exports are open, at every reading. */
export function watchStreams(streams: { readonly open: number }, { registry }: PlatformMetrics): void {
  new Gauge({
    name: 'candela_open_streams',
    help: 'Live views and exports that are open.',
    registers: [registry],
    collect() {
      this.set(streams.open);
    },
  });
}
