import type { RetentionSettings } from '@candela/contract';
import { SIGNALS, type Signal } from '@candela/kernel';
import type { Logger } from '@candela/kernel';
import type { MetadataStore } from '@candela/metadata-store';
import { type Retention, retentionDaysOf } from '../../ingest/retention.ts';

export interface RetentionParts {
  readonly metadata: Pick<MetadataStore, 'retention' | 'changes'>;
  /** What counts for projects that chose nothing. */
  readonly defaults: Readonly<Record<Signal, Retention>>;
  readonly logger: Logger;
}

const key = (projectId: string, signal: string): string => `${signal}\n${projectId}`;

/** How long records are kept, by project and signal: held, because ingest asks for every request. */
export class RetentionChoices {
  readonly #parts: RetentionParts;
  #days: ReadonlyMap<string, number> = new Map();
  #reading = 0;

  private constructor(parts: RetentionParts) {
    this.#parts = parts;
  }

  /** @throws metadata_unavailable */
  static async open(parts: RetentionParts): Promise<RetentionChoices> {
    const choices = new RetentionChoices(parts);
    parts.metadata.changes.on(['project_retention'], () => {
      choices.read().catch((thrown: unknown) => {
        parts.logger.warn({ err: thrown }, 'changed retention could not be read; the former one counts');
      });
    });
    await choices.read();
    return choices;
  }

  /** Reads what was chosen; of several readings at once the last to begin counts. */
  async read(): Promise<void> {
    this.#reading += 1;
    const own = this.#reading;
    const rows = await this.#parts.metadata.retention.all();
    if (own !== this.#reading) return;
    this.#days = new Map(rows.map(({ projectId, signal, days }) => [key(projectId, signal), days]));
  }

  /** Days that a project chose; undefined: none. */
  chosen(projectId: string, signal: Signal): number | undefined {
    return this.#days.get(key(projectId, signal));
  }

  of(projectId: string): RetentionSettings {
    const setting = (signal: Signal) => {
      const chosen = this.chosen(projectId, signal);
      const fallback = retentionDaysOf(this.#parts.defaults[signal], projectId);
      return { days: chosen ?? fallback, own: chosen !== undefined, default: fallback };
    };
    return { traces: setting('traces'), metrics: setting('metrics'), logs: setting('logs') };
  }

  /** Every choice of every project. */
  all(): { readonly projectId: string; readonly signal: Signal; readonly days: number }[] {
    return [...this.#days].flatMap(([name, days]) => {
      const at = name.indexOf('\n');
      const signal = SIGNALS.find((one) => one === name.slice(0, at));
      return signal === undefined ? [] : [{ projectId: name.slice(at + 1), signal, days }];
    });
  }
}
