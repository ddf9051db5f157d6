import type { LogRow } from '@candela/contract';
import type { RequestContext } from '@candela/kernel';
import type { Runner } from '../core/run.ts';
import { Scope } from '../core/scope.ts';
import { slices } from '../core/slices.ts';
import { LOGS } from './log-fields.ts';
import { LOG_HASH } from './log-id.ts';
import { type LogPlace, orderBy, PLACE_SQL, placeValue } from './log-order.ts';
import { LOG_COLUMNS, type RawLogRow, toLogRow } from './log-row.ts';
import { findLog } from './log.ts';

/** How far from the record its neighbours are looked for. */
const REACH = 86_400_000_000_000n;
/** Records of one and the same place among which the record is looked for. */
const MAX_EQUALS = 20_000;
/** What tells one running copy of a service from another, as far as the sender says so. */
const INSTANCE_KEYS = [
  'service.namespace',
  'service.instance.id',
  'k8s.pod.uid',
  'k8s.pod.name',
  'container.id',
  'host.id',
  'host.name',
  'process.pid',
];

export interface LogContext {
  readonly before: LogRow[];
  readonly log: LogRow;
  readonly after: LogRow[];
  readonly instance: { key: string; value: string }[];
}

interface Anchor extends RawLogRow {
  readonly Instance: string[];
}

/** The lines around a record that the same instance of its service wrote, in their exact order. @throws not_found */
export async function readLogContext(
  runner: Runner,
  context: RequestContext,
  input: { id: string; before: number; after: number },
): Promise<LogContext> {
  const values = INSTANCE_KEYS.map((key) => `ResourceAttributes['${key}']`).join(', ');
  const anchor = await findLog<Anchor>(runner, context, input.id, `${LOG_COLUMNS}, [${values}] AS Instance`);
  const instance = INSTANCE_KEYS.flatMap((key, index) => {
    const value = anchor.Instance[index] ?? '';
    return value === '' ? [] : [{ key, value }];
  });
  const beside = () => besideOf(context, anchor, instance);
  const equals = await equalsOf(runner, beside, anchor, input);
  const [before, after] = await Promise.all([
    fill(runner, beside, anchor, 'DESC', equals.before.toReversed(), input.before),
    fill(runner, beside, anchor, 'ASC', equals.after, input.after),
  ]);
  return {
    before: before.toReversed().map((raw) => toLogRow(raw)),
    log: toLogRow(anchor),
    after: after.map((raw) => toLogRow(raw)),
    instance,
  };
}

/** The records of the anchor's instance, in its environment. */
function besideOf(
  context: RequestContext,
  anchor: Anchor,
  instance: readonly { key: string; value: string }[],
): Scope {
  const open = Scope.of({ ...context, environment: anchor.Environment }, LOGS);
  const { params } = open;
  return instance.reduce(
    (scope, { key, value }) =>
      scope.and(`ResourceAttributes[${params.bind(key, 'String')}] = ${params.bind(value, 'String')}`),
    open.and(`ServiceName = ${params.bind(anchor.ServiceName, 'String')}`),
  );
}

const placeOf = (raw: RawLogRow): LogPlace => ({
  ns: raw.TimeNs,
  observedNs: raw.ObservedNs,
  receivedMs: raw.ReceivedMs,
});

/** Neighbours with the very same place, which only the order they are stored in tells apart. */
async function equalsOf(
  runner: Runner,
  beside: () => Scope,
  anchor: Anchor,
  input: { before: number; after: number },
): Promise<{ before: RawLogRow[]; after: RawLogRow[] }> {
  const at = BigInt(anchor.TimeNs);
  const open = beside().during({ from: at, to: at + 1n });
  const scope = open.and(`${PLACE_SQL} = ${placeValue(placeOf(anchor), open.params)}`);
  const hashes = await runner.run<{ Hash: string }>(
    scope,
    `SELECT toString(${LOG_HASH}) AS Hash ${scope.from} ${orderBy('ASC')} LIMIT ${MAX_EQUALS}`,
  );
  const own = hashes.findIndex(({ Hash }) => Hash === anchor.Hash);
  if (hashes.length < 2 || own === -1) return { before: [], after: [] };
  const first = Math.max(0, own - input.before);
  const rows = await runner.run<RawLogRow>(
    scope,
    `SELECT ${LOG_COLUMNS} ${scope.from} ${orderBy('ASC')}
     LIMIT ${own - first + 1 + input.after} OFFSET ${first}`,
  );
  return { before: rows.slice(0, own - first), after: rows.slice(own - first + 1) };
}

/** `wanted` lines in that direction, nearest first, beginning with those already known. */
async function fill(
  runner: Runner,
  beside: () => Scope,
  anchor: Anchor,
  direction: 'ASC' | 'DESC',
  known: readonly RawLogRow[],
  wanted: number,
): Promise<RawLogRow[]> {
  const lines = known.slice(0, wanted);
  const at = BigInt(anchor.TimeNs);
  const back = direction === 'DESC';
  const window = back ? { from: at > REACH ? at - REACH : 0n, to: at + 1n } : { from: at, to: at + REACH };
  for (const part of slices(window, back)) {
    if (lines.length >= wanted) break;
    const open = beside().during(part);
    const scope = open.and(`${PLACE_SQL} ${back ? '<' : '>'} ${placeValue(placeOf(anchor), open.params)}`);
    lines.push(
      ...(await runner.run<RawLogRow>(
        scope,
        `SELECT ${LOG_COLUMNS} ${scope.from} ${orderBy(direction)} LIMIT ${wanted - lines.length}`,
      )),
    );
  }
  return lines;
}
