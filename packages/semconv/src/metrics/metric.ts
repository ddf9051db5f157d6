/** A metric that the collector agent may send: its name, instrument and unit are the wire, told here once. */
export interface Metric {
  readonly name: string;
  /**
   * `counter` never goes down; `updown` is a sum that may; `gauge` is a reading that means nothing when added up;
   * `histogram` counts values by their size.
   */
  readonly instrument: 'counter' | 'updown' | 'gauge' | 'histogram';
  /** Of a histogram: upper ends of its buckets, the ends included; what is beyond the last has one more. */
  readonly bounds?: readonly number[];
  /** UCUM, as the semantic conventions write it: `By`, `s`, `1`, `{error}`. */
  readonly unit: string;
  readonly description: string;
  /** Keys of the attributes its points may carry. */
  readonly attributes: readonly string[];
  /** How and why it differs from the semantic conventions; absent when it does not. */
  readonly differs?: string;
}

/** Declares a metric; the object itself is its identity. */
export function metric(definition: Metric): Metric {
  return Object.freeze(definition);
}
