import { type CollectionResult, MetricReader, type PushMetricExporter } from '@opentelemetry/sdk-metrics';
import { errorText, type Log } from '../log.ts';
import type { TickProducer } from './resource-metrics.ts';

export interface PushOptions {
  readonly producer: TickProducer;
  readonly exporter: PushMetricExporter;
  /** The endpoint as logs name it. */
  readonly name: string;
  readonly intervalMs: number;
  /** How soon the first export follows the start. */
  readonly firstMs: number;
  /** Time a tick and its export may take together. */
  readonly timeoutMs: number;
  readonly log: Log;
  readonly onFailure: () => void;
}

/**
 * Collects and exports at an interval. The SDK's own periodic reader waits a whole interval before its first export and
 * refuses a timeout above the interval; here a new machine shows up at once, and an export that takes longer than the
 * interval costs the ticks it covers and nothing else.
 */
export class PushReader extends MetricReader {
  readonly #options: PushOptions;
  #timer: NodeJS.Timeout | undefined;
  #running: Promise<void> | undefined;
  #failing = false;
  #skipped = false;

  constructor(options: PushOptions) {
    super();
    this.#options = options;
    this.setMetricProducer(options.producer);
  }

  protected override onInitialized(): void {
    // `setMetricProducer` calls this from the constructor; ticking begins with `begin`.
  }

  begin(): void {
    const { firstMs, intervalMs } = this.#options;
    const first = performance.now() + firstMs;
    let count = 0;
    const next = (): void => {
      // On a fixed grid, so that intervals do not drift; after a pause of the machine the missed ones are left out.
      count = Math.max(count, Math.ceil((performance.now() - first) / intervalMs));
      const wait = Math.max(0, first + count * intervalMs - performance.now());
      count += 1;
      this.#timer = setTimeout(() => {
        this.#tick();
        next();
      }, wait);
    };
    next();
  }

  #tick(): void {
    if (this.#running !== undefined) {
      if (!this.#skipped) this.#options.log.warn('the last export is still under way: this tick is left out');
      this.#skipped = true;
      return;
    }
    this.#skipped = false;
    void this.#run();
  }

  #run(): Promise<void> {
    const run = this.#exportOnce().finally(() => {
      this.#running = undefined;
    });
    this.#running = run;
    return run;
  }

  async #exportOnce(): Promise<void> {
    const { producer, timeoutMs, log, name, onFailure } = this.#options;
    const clock = deadline(timeoutMs);
    try {
      const { resourceMetrics } = await Promise.race([this.collect(), clock.expired]);
      await Promise.race([this.#send(resourceMetrics), clock.expired]);
      producer.commit();
      if (this.#failing) log.info('export works again', { endpoint: name });
      this.#failing = false;
    } catch (thrown) {
      onFailure();
      // Once an outage: the counter has the number.
      if (!this.#failing) log.warn('export failed', { endpoint: name, detail: errorText(thrown) });
      this.#failing = true;
    } finally {
      clock.clear();
    }
  }

  #send(metrics: CollectionResult['resourceMetrics']): Promise<void> {
    return new Promise((resolve, reject) => {
      this.#options.exporter.export(metrics, ({ code, error }) => {
        if (code === 0) resolve();
        else reject(error ?? new Error('the endpoint did not take it'));
      });
    });
  }

  protected override async onForceFlush(): Promise<void> {
    await this.#running;
    await this.#run();
  }

  /** Sends a last tick, then closes. */
  protected override async onShutdown(): Promise<void> {
    clearTimeout(this.#timer);
    this.#options.producer.wantFresh();
    await this.onForceFlush();
    await this.#options.exporter.shutdown();
  }
}

function deadline(milliseconds: number): { expired: Promise<never>; clear: () => void } {
  const { promise, reject } = Promise.withResolvers<never>();
  promise.catch(() => undefined);
  const timer = setTimeout(() => reject(new Error(`not done within ${milliseconds} ms`)), milliseconds);
  return { expired: promise, clear: () => clearTimeout(timer) };
}
