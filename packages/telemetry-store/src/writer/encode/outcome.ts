/** Why a record is refused; the sentence says it to the sender. */
const REASONS = {
  bad_trace_id: 'its trace id is not 16 bytes or is all zeros',
  bad_span_id: 'its span id is not 8 bytes or is all zeros',
  bad_parent_span_id: 'its parent span id is neither empty nor 8 bytes',
  no_start_time: 'it has no start time',
  end_before_start: 'it ends before it starts',
  time_out_of_range: 'a time of it is after the year 2262',
  no_value: 'it has no value and is not flagged as one without',
  bad_buckets: 'its bucket counts are not one more than its bounds',
  bad_bounds: 'its bounds are not numbers in rising order',
  bad_quantiles: 'a quantile of it is not between 0 and 1',
} as const;
export type Reason = keyof typeof REASONS;

/** What is kept but changed. */
const ADJUSTMENTS = {
  attributes_dropped: 'attributes over the limit of a record were dropped',
  values_cut: 'attribute values over the limit were cut',
  keys_cut: 'attribute keys over the limit were cut',
  names_cut: 'names over 2048 characters were cut',
  links_dropped: 'links without valid ids were left out',
  facts_unread: 'records had GenAI attributes that could not be read',
  counts_rejected: 'token counts were negative, absurd or no numbers and were left out',
  environments_renamed: 'environment names were changed to valid ones',
} as const;
export type Adjustment = keyof typeof ADJUSTMENTS;

/** SDKs and services remembered of one request, and characters of each name. */
const MAX_ORIGINS = 8;
const MAX_ORIGIN = 120;

/** Counts what happened to the records of one request. */
export class Outcome {
  accepted = 0;
  rejected = 0;
  reasons = new Map<Reason, number>();
  adjusted = new Map<Adjustment, number>();
  readonly environments = new Set<string>();
  /** Who made the records: `<language> <name> <version>` of SDKs, and names of services. A few are enough. */
  readonly sdks = new Set<string>();
  readonly services = new Set<string>();
  #first = '';

  /** `name` is what the sender calls the record: a span or metric name. */
  reject(reason: Reason, what: string, name: string, records = 1): void {
    if (this.rejected === 0) {
      const quoted = name === '' ? '' : ` ${JSON.stringify(name.slice(0, 100))}`;
      this.#first = `${what}${quoted}: ${REASONS[reason]}`;
    }
    this.rejected += records;
    this.reasons.set(reason, (this.reasons.get(reason) ?? 0) + records);
  }

  /** Remembers whose records these are. */
  origin(sdk: string, service: string): void {
    if (sdk !== '' && this.sdks.size < MAX_ORIGINS) this.sdks.add(sdk.slice(0, MAX_ORIGIN));
    if (service !== '' && this.services.size < MAX_ORIGINS) this.services.add(service.slice(0, MAX_ORIGIN));
  }

  adjust(adjustment: Adjustment, count: number): void {
    if (count > 0) this.adjusted.set(adjustment, (this.adjusted.get(adjustment) ?? 0) + count);
  }

  message(): string {
    const parts: string[] = [];
    if (this.rejected > 0) {
      const total = this.accepted + this.rejected;
      parts.push(`${this.rejected} of ${total} refused; the first is ${this.#first}.`);
    }
    for (const [adjustment, count] of this.adjusted) parts.push(`${count} ${ADJUSTMENTS[adjustment]}.`);
    return parts.join(' ');
  }
}
