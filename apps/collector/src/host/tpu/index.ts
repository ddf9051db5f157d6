import { collectorTpuScrapeErrors, TPU_METRICS } from '@candela/semconv/metrics';
import {
  READY,
  type RecordPoint,
  type Source,
  type SourceContext,
  type SourceEntry,
  type Started,
  unavailable,
} from '../../source.ts';
import { chipPoints, FAMILIES, wantedNames } from './chips.ts';
import { parsePrometheusText } from './prometheus-text.ts';
import { ScrapeError, type ScrapeFailure, scrape } from './scrape.ts';

/** After a failure the endpoint is left alone this long, doubling up to the most; then it is asked again, always. */
const FIRST_WAIT_S = 10;
const MAX_WAIT_S = 300;
const BUDGET_MS = 10_000;

/** Seconds to wait after so many failures in a row. */
export function waitAfter(failures: number): number {
  return failures === 0 ? 0 : Math.min(MAX_WAIT_S, FIRST_WAIT_S * 2 ** (failures - 1));
}

class Tpu implements Source {
  readonly #context: SourceContext;
  readonly #wanted: ReadonlySet<string>;
  readonly #errors = new Map<ScrapeFailure, number>();
  #endpoint: URL | undefined;
  #failures = 0;
  #askAgainAt = 0;
  #answered = false;

  constructor(context: SourceContext) {
    this.#context = context;
    this.#wanted = wantedNames(context.config.tpu.metricAllowlist);
  }

  async start(): Promise<Started> {
    const { endpoint } = this.#context.config.tpu;
    const url = URL.canParse(endpoint) ? new URL(endpoint) : undefined;
    if (url === undefined || !['http:', 'https:'].includes(url.protocol)) {
      return unavailable('OTEL_TPU_ENDPOINT is no http or https address');
    }
    if (this.#wanted.size === 0) {
      return unavailable(`OTEL_TPU_METRIC_ALLOWLIST names none of ${FAMILIES.join(', ')}`);
    }
    this.#endpoint = url;
    // Whether anything listens is not asked here: the device plugin of a node may start after the agent.
    return READY;
  }

  async observe(record: RecordPoint, signal: AbortSignal): Promise<void> {
    const now = this.#context.monotonic();
    if (this.#endpoint !== undefined && now >= this.#askAgainAt) {
      try {
        const text = await scrape(this.#endpoint, this.#context.config.tpu.scrapeTimeoutMs, signal);
        this.#succeeded();
        for (const { metric, value, attributes } of chipPoints(parsePrometheusText(text, this.#wanted))) {
          record(metric, value, attributes);
        }
      } catch (thrown) {
        if (!(thrown instanceof ScrapeError)) throw thrown;
        this.#failed(thrown, now);
      }
    }
    for (const [type, count] of this.#errors) record(collectorTpuScrapeErrors, count, { 'error.type': type });
  }

  stop(): void {}

  #succeeded(): void {
    if (!this.#answered || this.#failures > 0) this.#context.log.info('TPU endpoint answers');
    this.#answered = true;
    this.#failures = 0;
  }

  #failed(error: ScrapeError, now: number): void {
    this.#failures += 1;
    this.#askAgainAt = now + waitAfter(this.#failures);
    // A machine without TPUs has nothing listening there: that is no error, until something once did.
    const none = error.type === 'connection_refused' && !this.#answered;
    if (!none) this.#errors.set(error.type, (this.#errors.get(error.type) ?? 0) + 1);
    if (this.#failures > 1) return;
    const fields = { error: error.message, again_in_s: waitAfter(this.#failures) };
    if (none)
      this.#context.log.info('nothing answers at OTEL_TPU_ENDPOINT: no TPU metrics until it does', fields);
    else this.#context.log.warn('TPU endpoint could not be read', fields);
  }
}

export const tpu: SourceEntry = {
  id: 'tpu',
  summary: 'Tensor processing units, read from the Prometheus endpoint of their device plugin',
  platforms: ['linux', 'darwin', 'win32'],
  metrics: TPU_METRICS,
  off: (config) => (config.tpu.enabled ? undefined : 'OTEL_TPU_ENABLED is false'),
  budgetMs: BUDGET_MS,
  create: (context) => new Tpu(context),
};
