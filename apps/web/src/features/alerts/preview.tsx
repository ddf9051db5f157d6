import type { AlertDraft, AlertPreview, AlertStatus } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { type AskedPreview, alertPreviewQuery } from '../../api/alerts.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SelectField } from '../../ui/field.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';
import { Labels, StateBadge } from './state-badge.tsx';

const RANGES = [
  { value: '-7d', label: 'the last 7 days' },
  { value: '-24h', label: 'the last 24 hours' },
  { value: '-6h', label: 'the last 6 hours' },
];
const FILLS: Record<AlertStatus, string> = {
  ok: 'fill-ok/40',
  pending: 'fill-warn',
  firing: 'fill-danger',
  no_data: 'fill-warn/60',
  error: 'fill-danger/60',
};
const WIDE = 1_000;
const HIGH = 80;

/** What the alert would have done, asked when somebody wants to see it. */
export function Preview({ alert }: { alert: AlertDraft }) {
  const { environment } = useShell();
  const [from, setFrom] = useState('-7d');
  const [asked, setAsked] = useState<AskedPreview>();
  const query = useQuery(alertPreviewQuery(environment, asked));
  const now: AskedPreview = { alert, from };
  const isOld = JSON.stringify(asked) !== JSON.stringify(now);
  const ask = () => (isOld ? setAsked(now) : void query.refetch());
  return (
    <section aria-label="Preview" className="flex flex-col gap-2 rounded-md border border-line p-3">
      <div className="flex flex-wrap items-end gap-2">
        <h2 className="mr-auto font-medium">What it would have done</h2>
        <SelectField label="Over" value={from} onValue={setFrom} options={RANGES} />
        <Button busy={query.isFetching} onClick={ask} className="h-8">
          Preview
        </Button>
      </div>
      <ErrorLine error={query.isFetching ? null : query.error} />
      {query.isFetching && (
        <p role="status" className="text-sm text-muted">
          Evaluating the past…
        </p>
      )}
      {query.data !== undefined && !query.isFetching && (
        <>
          {isOld && (
            <p role="status" className="text-sm text-warn">
              The alert has changed since this preview. Preview it again.
            </p>
          )}
          <Answer preview={query.data} />
        </>
      )}
    </section>
  );
}

function Answer({ preview }: { preview: AlertPreview }) {
  const { events, groups, notes } = preview;
  const told = events.filter(({ status }) => status !== 'resolved').length;
  return (
    <div className="flex flex-col gap-3">
      <p role="status">
        {told === 0
          ? 'It would have told nobody.'
          : `It would have fired ${told} ${told === 1 ? 'time' : 'times'}.`}{' '}
        <span className="text-muted">
          {preview.instants} instants, every {preview.everySeconds} s.
        </span>
      </p>
      {notes.map((note) => (
        <p key={note} className="text-sm text-muted">
          {note}
        </p>
      ))}
      {groups.slice(0, 8).map((group) => (
        <Group key={JSON.stringify(group.labels)} group={group} preview={preview} />
      ))}
      {groups.length > 8 && <p className="text-sm text-muted">and {groups.length - 8} more groups</p>}
      {events.length > 0 && (
        <ul
          className="flex max-h-60 flex-col gap-1 overflow-auto text-sm"
          aria-label="What it would have told"
        >
          {events.toReversed().map((event, index) => (
            <li key={index} className="flex flex-wrap items-center gap-2">
              <When time={event.at} />
              <StateBadge status={event.status} />
              <span className="min-w-0 wrap-anywhere">{event.summary}</span>
            </li>
          ))}
        </ul>
      )}
    </div>
  );
}

/** Values with the limit above the states along time. */
function Group({ group, preview }: { group: AlertPreview['groups'][number]; preview: AlertPreview }) {
  const from = Date.parse(preview.from);
  const length = Math.max(1, Date.parse(preview.to) - from);
  const x = (time: number) => Math.max(0, Math.min(WIDE, ((time - from) / length) * WIDE));
  const values = group.points.flatMap(([, value]) => (value === null ? [] : [value]));
  const all = preview.threshold === null ? values : [...values, preview.threshold];
  const top = Math.max(...all, 0);
  const bottom = Math.min(...all, 0);
  const y = (value: number) => HIGH - 2 - ((value - bottom) / Math.max(top - bottom, 1e-12)) * (HIGH - 6);
  const line = group.points
    .flatMap(([time, value]) => (value === null ? [] : [`${x(time).toFixed(1)},${y(value).toFixed(1)}`]))
    .join(' ');
  const name = Object.values(group.labels).join(' ') || 'all';
  return (
    <figure className="flex flex-col gap-1">
      <figcaption className="text-sm">
        <Labels labels={group.labels} />
      </figcaption>
      <svg
        viewBox={`0 0 ${WIDE} ${HIGH + 12}`}
        preserveAspectRatio="none"
        className="h-24 w-full rounded bg-sunken"
        role="img"
        aria-label={`Values and states of ${name}`}
      >
        {preview.threshold !== null && (
          <line
            x1={0}
            x2={WIDE}
            y1={y(preview.threshold)}
            y2={y(preview.threshold)}
            className="stroke-danger/60"
            strokeDasharray="6 4"
            vectorEffect="non-scaling-stroke"
          />
        )}
        <polyline
          points={line}
          fill="none"
          className="stroke-accent"
          strokeWidth={1.5}
          vectorEffect="non-scaling-stroke"
        />
        {group.spans.map((span) => (
          <rect
            key={span.from}
            x={x(Date.parse(span.from))}
            width={Math.max(1, x(Date.parse(span.to)) - x(Date.parse(span.from)))}
            y={HIGH + 2}
            height={10}
            className={FILLS[span.status]}
          >
            <title>{span.status.replace('_', ' ')}</title>
          </rect>
        ))}
      </svg>
    </figure>
  );
}
