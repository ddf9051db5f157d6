import type { AgentFigures } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { exact, formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { formatValue } from '../../lib/format-value.ts';
import { errorRate } from './figures.ts';

export interface FiguresLine {
  readonly key: string;
  readonly name: ReactNode;
  readonly figures: Omit<AgentFigures, 'q'> & { readonly q: string | null };
}

/** Parts of an agent with their figures; each count leads to the spans it counts. */
export function FiguresTable(props: {
  label: string;
  noun: string;
  lines: readonly FiguresLine[];
  note?: ReactNode;
}) {
  return (
    <section aria-label={props.label} className="min-w-0 rounded-md border border-line bg-surface">
      <h2 className="px-3 py-2 font-medium">{props.label}</h2>
      <div className="overflow-x-auto" tabIndex={0} role="region" aria-label={`${props.label}, table`}>
        <table className="w-full text-right whitespace-nowrap">
          <thead className="text-sm text-muted">
            <tr className="border-y border-line">
              <th scope="col" className="px-3 py-1 text-left font-normal">
                {props.noun}
              </th>
              {['Calls', 'Error rate', 'p50', 'p95', 'Tokens', 'Cost'].map((name) => (
                <th key={name} scope="col" className="px-2 py-1 font-normal last:pr-3">
                  {name}
                </th>
              ))}
            </tr>
          </thead>
          <tbody>
            {props.lines.map(({ key, name, figures }) => (
              <tr key={key} className="border-b border-line/60 last:border-0">
                {/* The room that the figures leave: else a long name pushes the cost out of sight. */}
                <th
                  scope="row"
                  className="w-full max-w-0 min-w-40 truncate px-3 py-1 text-left font-normal"
                  title={key}
                >
                  {name}
                </th>
                <td className="px-2 last:pr-3">
                  <SpansLink figures={figures} />
                </td>
                <td className={figures.errors > 0 ? 'px-2 text-danger' : 'px-2 text-muted'}>
                  <span title={`${exact(figures.errors)} failed`}>
                    {formatValue(errorRate(figures), '1')}
                  </span>
                </td>
                <td className="px-2 last:pr-3" title={exact(figures.p50Ms, ' ms')}>
                  {formatDuration(figures.p50Ms)}
                </td>
                <td className="px-2 last:pr-3" title={exact(figures.p95Ms, ' ms')}>
                  {formatDuration(figures.p95Ms)}
                </td>
                <td
                  className="px-2"
                  title={`${exact(figures.inputTokens)} in, ${exact(figures.outputTokens)} out`}
                >
                  {figures.inputTokens === null
                    ? '–'
                    : formatCount(figures.inputTokens + (figures.outputTokens ?? 0))}
                </td>
                <td className="px-2 last:pr-3" title={exact(figures.costUsd, ' USD')}>
                  {formatCost(figures.costUsd)}
                </td>
              </tr>
            ))}
          </tbody>
        </table>
      </div>
      {props.lines.length === 0 && <p className="px-3 py-2 text-sm text-muted">None in this time range.</p>}
      {props.note !== undefined && (
        <div className="border-t border-line px-3 py-2 text-sm text-muted">{props.note}</div>
      )}
    </section>
  );
}

/** A count that leads to the spans it counts. */
export function SpansLink({ figures }: { figures: { readonly count: number; readonly q: string | null } }) {
  if (figures.q === null) return <span title={exact(figures.count)}>{formatCount(figures.count)}</span>;
  return (
    <Link
      to="/traces"
      search={{ q: figures.q, view: 'spans' }}
      title={`${exact(figures.count)}: show the spans`}
      className="text-accent hover:underline"
    >
      {formatCount(figures.count)}
    </Link>
  );
}
