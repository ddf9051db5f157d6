import type { Trace } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useDeferredValue, useEffect, useMemo, useState } from 'react';
import { traceSearchQuery } from '../../api/trace.ts';
import { findText } from './trace-search.ts';
import { findPositions, type TraceSpan } from './trace-spans.ts';
import type { SpanTree } from './tree.ts';

const FIND_DELAY_MS = 300;
/** One letter is in every message. */
const FEWEST_LETTERS = 2;

export interface TraceFind {
  readonly text: string;
  setText(text: string): void;
  /** Positions in the tree, ascending. */
  readonly found: readonly number[];
  readonly foundSet: ReadonlySet<number>;
  /** Whether messages and attributes are still being looked through. */
  readonly pending: boolean;
  readonly failed: boolean;
  readonly truncated: boolean;
  /** Whether the server looked through the whole trace for it, spans that are not loaded among it. */
  readonly searched: boolean;
  /** Spans that hold it and are not loaded, oldest first. */
  readonly beyond: readonly string[];
  /** Model calls that only repeat it from the history: no matches of their own. */
  readonly repeats: number;
  /** Text around the first term, of spans that hold it in more than their name. */
  readonly excerpts: ReadonlyMap<string, string>;
  /** What is found right now, also for what was typed a moment ago. */
  now(): readonly number[];
}

/** The search inside the trace: names at once from what is here, messages and attributes from the server. */
export function useTraceFind(
  { traceId, spanCount }: Pick<Trace, 'traceId' | 'spanCount'>,
  spans: readonly TraceSpan[],
  tree: SpanTree,
  inUrl: string,
  toUrl: (text: string | undefined) => void,
): TraceFind {
  const [text, setWhole] = useState(inUrl);
  useEffect(() => {
    if (text === inUrl) return undefined;
    const timer = setTimeout(() => toUrl(text === '' ? undefined : text), FIND_DELAY_MS);
    return () => clearTimeout(timer);
  }, [text, inUrl, toUrl]);
  const q = inUrl.trim();
  const enabled = q.length >= FEWEST_LETTERS;
  const query = useQuery({ ...traceSearchQuery(traceId, q, spanCount), enabled });
  const all = enabled ? query.data?.hits : undefined;
  const hits = useMemo(() => all?.filter((hit) => !hit.repeats), [all]);
  const excerpts = useMemo(() => new Map((hits ?? []).map((hit) => [hit.spanId, hit.excerpt])), [hits]);
  const sought = useDeferredValue(text);
  const positions = useMemo(
    () => union(findPositions(spans, tree, sought), sought.trim() === q ? (hits ?? []) : [], tree),
    [spans, tree, sought, q, hits],
  );
  const foundSet = useMemo(() => new Set(positions), [positions]);
  const beyond = useMemo(() => notLoaded(hits ?? [], tree), [hits, tree]);
  const pending = text !== inUrl || (enabled && query.isFetching);
  return {
    text,
    setText: (next) => setWhole(findText(next)),
    found: positions,
    foundSet,
    pending,
    failed: enabled && query.isError,
    truncated: enabled && query.data?.truncated === true,
    searched: hits !== undefined && !pending && !query.isError,
    beyond,
    repeats: (all?.length ?? 0) - (hits?.length ?? 0),
    excerpts,
    now: () => (text === sought ? positions : findPositions(spans, tree, text)),
  };
}

/** Spans of which the server says that they hold it, and that are not here. */
export const notLoaded = (
  hits: readonly { spanId: string }[],
  tree: Pick<SpanTree, 'positionOf'>,
): string[] => hits.flatMap(({ spanId }) => (tree.positionOf.has(spanId) ? [] : [spanId]));

function union(own: readonly number[], hits: readonly { spanId: string }[], tree: SpanTree): number[] {
  if (hits.length === 0) return [...own];
  const all = new Set(own);
  for (const hit of hits) {
    const position = tree.positionOf.get(hit.spanId);
    if (position !== undefined) all.add(position);
  }
  return [...all].sort((a, b) => a - b);
}
