import type { AlertQuery } from '@candela/contract';
import type { AlertSources, Asked, LevelKind, Measured } from './kind.ts';
import { keyOf, measure } from './measure.ts';

const LOOK_BACK_MS = 86_400_000;
/** Rows of the window: none fires. */
const NONE = { op: '<', value: 1 } as const;

/** Rows of each group that reported within a day before the window, or has a state. */
async function silences(
  sources: AlertSources,
  query: AlertQuery,
  asked: Asked,
  windowSeconds: number,
): Promise<Measured> {
  const from = asked.end - windowSeconds * 1_000;
  const [now, before] = await Promise.all([
    measure(sources, query, { ...asked, from, to: asked.end }),
    measure(sources, query, { ...asked, from: from - LOOK_BACK_MS, to: from }),
  ]);
  const isThere = ({ value, samples }: { value: number | null; samples: number | null }) =>
    samples === null ? value !== null : samples > 0;
  const rows = new Map(
    now.all.map((one) => [keyOf(one.labels), isThere(one) ? Math.max(1, one.samples ?? 1) : 0]),
  );
  const groups = new Map(
    [
      ...now.all.filter(isThere).map(({ labels }) => labels),
      ...before.all.filter(isThere).map(({ labels }) => labels),
      ...asked.known,
    ].map((labels) => [keyOf(labels), labels]),
  );
  return {
    readings: Array.from(groups, ([key, labels]) => ({
      labels,
      value: rows.get(key) ?? 0,
      condition: NONE,
    })),
    note: now.note ?? before.note,
  };
}

/** Nothing arrives any more of what a query finds. */
export const noData: LevelKind<'no_data'> = {
  mode: 'level',
  read: (sources, { query, windowSeconds }, asked) => silences(sources, query, asked, windowSeconds),
};

/** A project, or one of its services, sends nothing any more. */
export const ingestStopped: LevelKind<'ingest_stopped'> = {
  mode: 'level',
  read(sources, { signal, perService, windowSeconds }, asked) {
    const query: AlertQuery = {
      kind: 'aggregate',
      body: {
        signal,
        groupBy: perService ? ['service'] : [],
        measures: ['count'],
        limit: 50,
        comparePrevious: false,
      },
    };
    return silences(sources, query, asked, windowSeconds);
  },
};
