import { useMemo } from 'react';
import { GraphView } from '../../charts/visualise/graph/graph-view.tsx';
import { formatCount } from '../../lib/format.ts';
import { buildTraceGraph } from './trace-graph.ts';
import type { TraceSpan } from './trace-spans.ts';
import type { SpanTree } from './tree.ts';

/** Who calls whom in this trace. Choosing a node again walks through its spans. */
export default function TraceGraphView(props: {
  spans: readonly TraceSpan[];
  tree: SpanTree;
  selected: string | undefined;
  onSelect: (spanId: string) => void;
}) {
  const { spans, tree, selected } = props;
  const graph = useMemo(() => buildTraceGraph(spans, tree), [spans, tree]);
  const node = selected === undefined ? undefined : graph.nodeOf.get(selected);
  const choose = (id: string) => {
    // Spans may share an id, which leads to one of them.
    const own = [...new Set(graph.spansOf.get(id))];
    const next = own[(own.indexOf(selected ?? '') + 1) % own.length];
    if (next !== undefined) props.onSelect(next);
  };
  return (
    <div className="flex min-h-0 grow flex-col" data-testid="trace-graph">
      <GraphView
        label="Who calls whom in this trace"
        nodes={graph.nodes}
        edges={graph.edges}
        selected={node}
        onNode={choose}
        onEdge={(edge) => choose(edge.to)}
        legend={
          <p className="px-3 py-1 text-xs text-muted">
            Calls × · mean duration; choose a node again for its next span
            {graph.leftOut > 0 && `; ${formatCount(graph.leftOut)} rarer names are not drawn`}
            {graph.edgesLeftOut > 0 && `; ${formatCount(graph.edgesLeftOut)} rarer calls are not drawn`}
          </p>
        }
      />
    </div>
  );
}
