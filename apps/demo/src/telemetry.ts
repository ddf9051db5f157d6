import type { Random } from './random.ts';

export type Value = string | number | boolean | readonly Value[] | { readonly [key: string]: Value };
export type Attributes = Readonly<Record<string, Value | undefined>>;

export const KIND = { internal: 1, server: 2, client: 3, producer: 4, consumer: 5 } as const;
export type Kind = keyof typeof KIND;

/** A program that sends telemetry: one OTLP resource. An agent that measures hardware has no name of a service. */
export interface Service {
  readonly name: string;
  readonly attributes: Attributes;
}

export interface Scope {
  readonly name: string;
  readonly version: string;
}

interface EventRecord {
  readonly name: string;
  readonly atMs: number;
  readonly attributes: Attributes;
}

export interface LinkRecord {
  readonly traceId: string;
  readonly spanId: string;
  readonly attributes: Attributes;
}

/** All times are milliseconds on the recorder's own clock until `Recorder.finish` places them in history. */
export interface SpanRecord {
  readonly service: Service;
  readonly scope: Scope;
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId: string;
  name: string;
  readonly kind: Kind;
  startMs: number;
  endMs: number;
  readonly attributes: Map<string, Value>;
  readonly events: EventRecord[];
  readonly links: LinkRecord[];
  /** 0 unset, 1 ok, 2 error. */
  status: 0 | 1 | 2;
  statusMessage: string;
}

export const SEVERITY = { trace: 1, debug: 5, info: 9, warn: 13, error: 17, fatal: 21 } as const;
export type Severity = keyof typeof SEVERITY;

export interface LogEntry {
  readonly service: Service;
  readonly scope: Scope;
  readonly atMs: number;
  readonly severity: Severity;
  readonly body: Value;
  readonly eventName: string;
  readonly attributes: Attributes;
  readonly traceId: string;
  readonly spanId: string;
}

/** One value measured by an instrument of `metrics/instruments.ts`. */
export interface Measurement {
  readonly service: Service;
  readonly instrument: string;
  readonly value: number;
  readonly attributes: Attributes;
  readonly atMs: number;
  readonly traceId: string;
  readonly spanId: string;
}

/** A failure inside the simulated programs: marks every span it passes through, until somebody retries. */
export class SimulatedFailure extends Error {
  readonly type: string;
  readonly httpStatus: number | undefined;
  readonly trace: string;
  /** What was thrown, where that is not the type of error that the span names: a status code is no exception. */
  readonly thrown: string;

  constructor(
    type: string,
    message: string,
    options: { httpStatus?: number; trace?: string; thrown?: string } = {},
  ) {
    super(message);
    this.type = type;
    this.httpStatus = options.httpStatus;
    this.thrown = options.thrown ?? type;
    this.trace = options.trace ?? `${type}: ${message}`;
  }
}

export interface SpanStart {
  readonly name: string;
  readonly kind?: Kind;
  readonly service?: Service;
  readonly scope?: Scope;
  readonly attributes?: Attributes;
  readonly links?: readonly LinkRecord[];
}

/** A span while it runs. */
export class ActiveSpan {
  readonly record: SpanRecord;
  readonly #recorder: Recorder;

  constructor(record: SpanRecord, recorder: Recorder) {
    this.record = record;
    this.#recorder = recorder;
  }

  set(attributes: Attributes): void {
    for (const [key, value] of Object.entries(attributes)) {
      if (value !== undefined) this.record.attributes.set(key, value);
    }
  }

  event(name: string, attributes: Attributes = {}): void {
    this.record.events.push({ name, atMs: this.#recorder.now, attributes });
  }

  ok(): void {
    this.record.status = 1;
  }

  /** Conventions that report failures their own way replace this; by default the span gets status and exception. */
  onFailure: (failure: SimulatedFailure) => void = (failure) => this.fail(failure);

  fail(failure: SimulatedFailure): void {
    this.record.status = 2;
    this.record.statusMessage = failure.message;
    this.set({ 'error.type': failure.type });
    this.event('exception', {
      'exception.type': failure.thrown,
      'exception.message': failure.message,
      'exception.stacktrace': failure.trace,
    });
  }
}

/** How the simulated world does while a trace runs: 1 and 0.01 on a good day. */
export interface Conditions {
  readonly slowdown: number;
  readonly errorRate: number;
}

const NO_SCOPE: Scope = { name: 'app', version: '1.0.0' };

/**
 * Records one trace on a clock of its own, as a program would live it: nested calls become nested spans, `advance`
 * is the time that passes, `parallel` lets branches start together.
 */
export class Recorder {
  readonly random: Random;
  readonly conditions: Conditions;
  readonly traceId: string;
  readonly spans: SpanRecord[] = [];
  readonly logs: LogEntry[] = [];
  readonly measurements: Measurement[] = [];
  now = 0;
  readonly #stack: ActiveSpan[] = [];
  readonly #service: Service;

  constructor(random: Random, service: Service, conditions: Conditions) {
    this.random = random;
    this.conditions = conditions;
    this.traceId = random.hex(32);
    this.#service = service;
  }

  get current(): ActiveSpan | undefined {
    return this.#stack.at(-1);
  }

  get service(): Service {
    return this.current?.record.service ?? this.#service;
  }

  advance(ms: number): void {
    this.now += Math.max(0, ms);
  }

  span<T>(start: SpanStart, body: (span: ActiveSpan) => T): T {
    const parent = this.current?.record;
    const record: SpanRecord = {
      service: start.service ?? this.service,
      scope: start.scope ?? NO_SCOPE,
      traceId: this.traceId,
      spanId: this.random.hex(16),
      parentSpanId: parent?.spanId ?? '',
      name: start.name,
      kind: start.kind ?? 'internal',
      startMs: this.now,
      endMs: this.now,
      attributes: new Map(),
      events: [],
      links: [...(start.links ?? [])],
      status: 0,
      statusMessage: '',
    };
    const span = new ActiveSpan(record, this);
    span.set(start.attributes ?? {});
    this.#stack.push(span);
    try {
      return body(span);
    } catch (error) {
      if (error instanceof SimulatedFailure) span.onFailure(error);
      throw error;
    } finally {
      this.#stack.pop();
      record.endMs = Math.max(this.now, record.startMs + 0.01);
      this.spans.push(record);
    }
  }

  /** Runs the branches as if at the same time; goes on when the slowest is done. */
  parallel(branches: readonly (() => void)[]): void {
    const start = this.now;
    let end = start;
    for (const branch of branches) {
      this.now = start + this.random.between(0, 4);
      branch();
      end = Math.max(end, this.now);
    }
    this.now = end;
  }

  log(
    severity: Severity,
    body: Value,
    attributes: Attributes = {},
    more: { eventName?: string; scope?: Scope } = {},
  ): void {
    this.logs.push({
      service: this.service,
      scope: more.scope ?? NO_SCOPE,
      atMs: this.now,
      severity,
      body,
      eventName: more.eventName ?? '',
      attributes,
      traceId: this.traceId,
      spanId: this.current?.record.spanId ?? '',
    });
  }

  logFailure(failure: SimulatedFailure, message: string, attributes: Attributes = {}): void {
    this.log('error', message, {
      ...attributes,
      'exception.type': failure.thrown,
      'exception.message': failure.message,
      'exception.stacktrace': failure.trace,
    });
  }

  measure(instrument: string, value: number, attributes: Attributes = {}): void {
    this.measurements.push({
      service: this.service,
      instrument,
      value,
      attributes,
      atMs: this.now,
      traceId: this.traceId,
      spanId: this.current?.record.spanId ?? '',
    });
  }
}
