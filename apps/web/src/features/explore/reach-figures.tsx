import type { Measure } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import type { ReactNode } from 'react';
import { aggregateQuery } from '../../api/explore.ts';
import type { Scope } from '../../api/telemetry.ts';
import { exact, formatCost, formatCount } from '../../lib/format.ts';
import { Failure, SkeletonRows } from '../../ui/states.tsx';

const MEASURES = [
  'traces',
  'sessions',
  'users',
  'cost',
  'input_tokens',
  'output_tokens',
] as const satisfies readonly Measure[];

export default function ReachFigures({ scope }: { scope: Scope }) {
  const { data, error, refetch } = useQuery(aggregateQuery(scope, { measures: [...MEASURES] }));
  if (error) return <Failure error={error} onRetry={() => void refetch()} />;
  if (data === undefined) return <SkeletonRows label="Counting" rows={6} />;
  const [traces, sessions, users, cost, input, output] = data.data.rows[0]?.values ?? [];
  const search = scope.q === '' ? {} : { q: scope.q };
  const line = (label: ReactNode, text: string, title: string) => (
    <div className="flex h-6 items-center justify-between">
      <dt className="text-muted">{label}</dt>
      <dd title={title}>{text}</dd>
    </div>
  );
  const counted = (label: ReactNode, value: number | null | undefined) =>
    line(label, formatCount(value ?? null), exact(value ?? null));
  return (
    <>
      <dl>
        {counted('Traces', traces)}
        {counted(
          <Link to="/sessions" search={search} className="text-accent hover:underline">
            Sessions
          </Link>,
          sessions,
        )}
        {counted(
          <Link to="/users" search={search} className="text-accent hover:underline">
            Users
          </Link>,
          users,
        )}
        {line('Cost', formatCost(cost ?? null), exact(cost ?? null, 'USD'))}
        {counted('Input tokens', input)}
        {counted('Output tokens', output)}
      </dl>
      <p className="mt-1 text-xs text-muted">
        Of the spans that fit the search; sessions and users are those that these spans name.
      </p>
    </>
  );
}
