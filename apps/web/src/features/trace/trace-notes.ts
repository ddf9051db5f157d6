import { formatCount, formatDuration } from '../../lib/format.ts';
import type { TraceSpan } from './trace-spans.ts';
import type { SpanTree } from './tree.ts';

/** Clocks of two machines agree to about this; less is nothing to speak of. */
const SKEW_MS = 1;

/** How many spans begin before their parent does, or after it ended, and by how much at most. Streams may outlive. */
function skewed(spans: readonly TraceSpan[], tree: SpanTree): { count: number; mostMs: number } {
  let count = 0;
  let mostMs = 0;
  for (let position = 0; position < tree.order.length; position += 1) {
    const above = tree.parent[position] ?? -1;
    if (above === -1) continue;
    const span = spans[tree.order[position] as number] as TraceSpan;
    const parent = spans[tree.order[above] as number] as TraceSpan;
    const early = parent.startMs - span.startMs;
    if (early <= SKEW_MS) continue;
    count += 1;
    mostMs = Math.max(mostMs, early);
  }
  return { count, mostMs };
}

const plural = (count: number, one: string, many: string) =>
  count === 1 ? `One ${one}` : `${formatCount(count)} ${many}`;

/** What is unusual about the shape of the trace, a sentence each: it is drawn as well as it can be, and says so. */
export function traceNotes(spans: readonly TraceSpan[], tree: SpanTree, looksAgain = false): string[] {
  const notes: string[] = [];
  const running = spans.reduce((sum, span) => (span.light.unfinished ? sum + 1 : sum), 0);
  const again = looksAgain ? ' This page looks again every 5 seconds.' : '';
  // Most SDKs send a parent at its end: of a trace that runs, some are still to come.
  if (tree.orphans > 0)
    notes.push(
      `${plural(tree.orphans, 'span names a parent', 'spans name a parent')} that was ${looksAgain ? 'not received yet' : 'never received'}; ${tree.orphans === 1 ? 'it stands' : 'they stand'} at the top.${running === 0 ? again : ''}`,
    );
  const roots = tree.depth.reduce((count, depth) => (depth === 0 ? count + 1 : count), 0);
  const own = roots - tree.orphans - tree.cyclesCut;
  if (own > 1) notes.push(`The trace has ${formatCount(own)} roots.`);
  if (tree.cyclesCut > 0)
    notes.push(
      `${plural(tree.cyclesCut, 'ring of spans', 'rings of spans')} whose parents lead back to themselves; ${tree.cyclesCut === 1 ? 'it is' : 'each is'} cut at its earliest span.`,
    );
  const { count, mostMs } = skewed(spans, tree);
  if (count > 0)
    notes.push(
      `${plural(count, 'span begins', 'spans begin')} up to ${formatDuration(mostMs)} before the parent: the clocks of the senders differ.`,
    );
  if (running > 0)
    notes.push(
      `${plural(running, 'span has', 'spans have')} no end yet: still running, or stopped without saying so.${again}`,
    );
  return notes;
}
