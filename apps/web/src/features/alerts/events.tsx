import { useInfiniteQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { alertEventsQuery, deliveriesQuery } from '../../api/alerts.ts';
import { Badge } from '../../ui/badge.tsx';
import { MoreRows } from '../../ui/more-rows.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { StateBadge } from './state-badge.tsx';

/** What happened, newest first; of one alert, or of all. */
export function AlertEvents({ alertId }: { alertId?: string }) {
  const query = useInfiniteQuery(alertEventsQuery(alertId));
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <SkeletonRows rows={5} label="Loading the history" />;
  return (
    <section aria-label="History">
      <Table
        label="History"
        rows={query.data.pages.flatMap(({ data }) => data)}
        keyOf={({ id }) => id}
        empty="Nothing happened yet."
        columns={[
          { label: 'When', cell: ({ at }) => <When time={at} /> },
          { label: 'What', leads: true, cell: ({ status }) => <StateBadge status={status} /> },
          {
            label: 'Summary',
            leads: true,
            className: 'min-w-64 whitespace-normal wrap-anywhere',
            cell: ({ summary, link }) =>
              link === null ? (
                summary
              ) : (
                <Link to={link} className="hover:underline">
                  {summary}
                </Link>
              ),
          },
          ...(alertId === undefined
            ? [
                {
                  label: 'Alert',
                  cell: (event: { alertId: string; alertName: string }) => (
                    <Link
                      to="/alerts/$alert"
                      params={{ alert: event.alertId }}
                      className="text-accent hover:underline"
                    >
                      {event.alertName}
                    </Link>
                  ),
                },
              ]
            : []),
          { label: 'Told', cell: ({ silenced }) => (silenced ? <Badge>silenced</Badge> : '') },
        ]}
      />
      <MoreRows query={query} noun="events" />
    </section>
  );
}

const TONES = { waiting: 'plain', sending: 'accent', sent: 'ok', failed: 'danger' } as const;

/** The log of messages. */
export function Deliveries() {
  const query = useInfiniteQuery(deliveriesQuery());
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <SkeletonRows rows={5} label="Loading the messages" />;
  return (
    <section aria-label="Messages">
      <Table
        label="Messages"
        rows={query.data.pages.flatMap(({ data }) => data)}
        keyOf={({ id }) => id}
        empty="No message was sent yet."
        columns={[
          { label: 'When', cell: ({ createdAt }) => <When time={createdAt} /> },
          { label: 'State', cell: ({ status }) => <Badge tone={TONES[status]}>{status}</Badge> },
          { label: 'Alert', cell: ({ alertName }) => alertName },
          { label: 'To', cell: ({ destinationName }) => destinationName },
          { label: 'Events', align: 'end', cell: ({ events }) => events },
          { label: 'Attempts', align: 'end', cell: ({ attempts }) => attempts },
          {
            label: 'Problem',
            className: 'min-w-48 whitespace-normal wrap-anywhere',
            cell: ({ error }) => error ?? '',
          },
        ]}
      />
      <MoreRows query={query} noun="messages" />
    </section>
  );
}
