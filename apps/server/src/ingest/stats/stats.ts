import type { Clock, ErrorCode, Principal, Signal } from '@candela/kernel';
import type { Caller, ReceiverName, Format } from '../types.ts';
import { clientOf } from './client.ts';
import { Minutes, type Minute } from './minutes.ts';

/** What became of a request that was taken. */
export interface Taken {
  readonly accepted: number;
  readonly rejected: number;
  readonly reasons: ReadonlyMap<string, number>;
  readonly adjusted: ReadonlyMap<string, number>;
  /** What the sender was told; '' when every record was taken as it came. */
  readonly message: string;
  readonly duplicate: boolean;
  readonly wireBytes: number;
  /** `<language> <name> <version>` of the SDKs whose records these were. */
  readonly sdks: readonly string[];
  readonly services: readonly string[];
}

export interface SignalFigures {
  lastAtMs: number | undefined;
  requests: number;
  accepted: number;
  rejected: number;
  duplicates: number;
  refused: number;
  bytes: number;
}

/** Why something was not taken as it came: a record left out, a whole request refused, a record changed. */
export interface Trouble {
  readonly what: 'record' | 'request' | 'changed';
  readonly signal: Signal | 'unknown';
  readonly reason: string;
  count: number;
  lastAtMs: number;
  /** What the sender was told then. */
  message: string;
  /** Name of the client it happened to last. */
  client: string;
}

export interface ClientFigures {
  readonly name: string;
  readonly version: string;
  readonly receiver: ReceiverName;
  readonly format: Format;
  readonly principal: Principal;
  readonly sdks: Set<string>;
  readonly services: Set<string>;
  requests: number;
  accepted: number;
  rejected: number;
  duplicates: number;
  refused: number;
  lastAtMs: number;
  trouble: { readonly atMs: number; readonly reason: string; readonly message: string } | undefined;
}

/** Everything counted for one project since the start. */
export interface Page {
  readonly signals: ReadonlyMap<Signal, SignalFigures>;
  readonly troubles: ReadonlyMap<string, Trouble>;
  /** Longest unheard first. */
  readonly clients: ReadonlyMap<string, ClientFigures>;
  /** Clients that were forgotten because there were too many. */
  readonly clientsForgotten: number;
  readonly minutes: readonly Minute[];
}

const MAX_PROJECTS = 256;
const MAX_CLIENTS = 100;
const MAX_TROUBLES = 200;
const MAX_NAMES = 8;
const MAX_MESSAGE = 400;

/**
 * What was received and refused, by whom and why, since the start: a project each, in memory and bounded, so that a
 * sender that names itself anew with every request costs nothing. Refusals before the credential was known belong to
 * no project and are kept as {@link strangers}, without the message and whatever else only a member should read.
 */
export class IngestStats {
  readonly #clock: Clock;
  readonly #projects = new Map<string, Book>();
  readonly #strangers: Book;
  readonly sinceMs: number;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#strangers = new Book(clock);
    this.sinceMs = clock.now();
  }

  taken(caller: Caller, taken: Taken): void {
    if (caller.context !== undefined) this.#book(caller.context.projectId).taken(caller, taken);
  }

  refused(caller: Caller, reason: ErrorCode, message: string): void {
    const book = caller.context === undefined ? this.#strangers : this.#book(caller.context.projectId);
    book.refused(caller, reason, message);
  }

  /** The figures of that project; undefined when nothing came for it. */
  of(projectId: string): Page | undefined {
    return this.#projects.get(projectId);
  }

  /** Refusals of senders that showed no valid credential. */
  get strangers(): Page {
    return this.#strangers;
  }

  #book(projectId: string): Book {
    const book = this.#projects.get(projectId) ?? new Book(this.#clock);
    this.#projects.delete(projectId);
    this.#projects.set(projectId, book);
    forgetFirst(this.#projects, MAX_PROJECTS);
    return book;
  }
}

class Book implements Page {
  readonly #clock: Clock;
  readonly #minutes: Minutes;
  readonly signals = new Map<Signal, SignalFigures>();
  readonly troubles = new Map<string, Trouble>();
  readonly clients = new Map<string, ClientFigures>();
  clientsForgotten = 0;

  constructor(clock: Clock) {
    this.#clock = clock;
    this.#minutes = new Minutes(clock);
  }

  get minutes(): readonly Minute[] {
    return this.#minutes.list();
  }

  taken(caller: Caller, taken: Taken): void {
    const now = this.#clock.now();
    const client = this.#client(caller, now);
    const signal = this.#signal(caller.signal);
    for (const figures of signal === undefined ? [client] : [client, signal]) {
      figures.requests += 1;
      figures.lastAtMs = now;
      if (taken.duplicate) figures.duplicates += 1;
      else {
        figures.accepted += taken.accepted;
        figures.rejected += taken.rejected;
      }
    }
    if (signal !== undefined) signal.bytes += taken.wireBytes;
    addNames(client.sdks, taken.sdks);
    addNames(client.services, taken.services);
    if (taken.duplicate) return;
    this.#minutes.add({ accepted: taken.accepted, rejected: taken.rejected, refused: 0 });
    for (const [reason, count] of taken.reasons)
      this.#trouble('record', caller, client, { reason, count, message: taken.message, now });
    for (const [reason, count] of taken.adjusted)
      this.#trouble('changed', caller, client, { reason, count, message: taken.message, now });
  }

  refused(caller: Caller, reason: string, message: string): void {
    const now = this.#clock.now();
    const client = this.#client(caller, now);
    client.refused += 1;
    client.lastAtMs = now;
    const signal = this.#signal(caller.signal);
    if (signal !== undefined) signal.refused += 1;
    this.#minutes.add({ accepted: 0, rejected: 0, refused: 1 });
    this.#trouble('request', caller, client, { reason, count: 1, message, now });
  }

  #signal(signal: Signal | 'unknown'): SignalFigures | undefined {
    if (signal === 'unknown') return undefined;
    let figures = this.signals.get(signal);
    if (figures === undefined) {
      const none = { requests: 0, accepted: 0, rejected: 0, duplicates: 0, refused: 0, bytes: 0 };
      figures = { lastAtMs: undefined, ...none };
      this.signals.set(signal, figures);
    }
    return figures;
  }

  #client(caller: Caller, now: number): ClientFigures {
    const { name, version } = clientOf(caller.userAgent);
    const principal = caller.context?.principal ?? { kind: 'anonymous' };
    const who = principal.kind === 'anonymous' ? '' : `${principal.kind} ${principal.id}`;
    const key = [name, version, caller.receiver, caller.format, who].join('\n');
    let client = this.clients.get(key);
    if (client === undefined) {
      const none = { requests: 0, accepted: 0, rejected: 0, duplicates: 0, refused: 0, lastAtMs: now };
      const { receiver, format } = caller;
      client = {
        name,
        version,
        receiver,
        format,
        principal,
        ...none,
        sdks: new Set(),
        services: new Set(),
        trouble: undefined,
      };
    }
    // The one heard last stands last: the first is the one to forget.
    this.clients.delete(key);
    this.clients.set(key, client);
    if (forgetFirst(this.clients, MAX_CLIENTS)) this.clientsForgotten += 1;
    return client;
  }

  #trouble(
    what: Trouble['what'],
    caller: Caller,
    client: ClientFigures,
    about: { reason: string; count: number; message: string; now: number },
  ): void {
    const { reason, count, now } = about;
    const message = about.message.slice(0, MAX_MESSAGE);
    const key = `${what} ${caller.signal} ${reason}`;
    const known = this.troubles.get(key);
    const name = `${client.name} ${client.version}`.trim();
    if (known === undefined) {
      const { signal } = caller;
      this.troubles.set(key, { what, signal, reason, count, lastAtMs: now, message, client: name });
      forgetFirst(this.troubles, MAX_TROUBLES);
    } else Object.assign(known, { count: known.count + count, lastAtMs: now, message, client: name });
    if (what !== 'changed') client.trouble = { atMs: now, reason, message };
  }
}

/** Drops the first entry of a map that has grown over `most`. */
function forgetFirst(map: Map<string, unknown>, most: number): boolean {
  const first = map.size > most ? map.keys().next() : undefined;
  return first?.done === false && map.delete(first.value);
}

function addNames(names: Set<string>, more: readonly string[]): void {
  for (const name of more) if (names.size < MAX_NAMES) names.add(name);
}
