import { useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, useNavigate } from '@tanstack/react-router';
import { type AuditEvent, auditQuery } from '../../api/audit.ts';
import { membersQuery } from '../../api/organisation.ts';
import { FilterBox } from '../../ui/filter-box.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';
import { AUDIT_FILTERS, type AuditSearch } from './audit-search.ts';
import { MoreRows } from '../../ui/more-rows.tsx';
import { Loaded, Section, SettingsPage } from './page.tsx';

const route = getRouteApi('/settings/audit');

/** Who did what to which object, when and from where. */
export function AuditPage() {
  const filter = route.useSearch({
    select: ({ action, objectKind, objectId, actorId }): AuditSearch => ({
      ...(action === undefined ? {} : { action }),
      ...(objectKind === undefined ? {} : { objectKind }),
      ...(objectId === undefined ? {} : { objectId }),
      ...(actorId === undefined ? {} : { actorId }),
    }),
    structuralSharing: true,
  });
  const navigate = useNavigate({ from: '/settings/audit' });
  const { range } = useShell();
  const query = useInfiniteQuery(auditQuery(range, filter));
  const narrow = (change: AuditSearch) =>
    void navigate({
      search: (before) => ({
        ...before,
        ...Object.fromEntries(Object.entries(change).map(([name, value]) => [name, value || undefined])),
      }),
      replace: true,
    });
  return (
    <SettingsPage
      title="Audit"
      about="Every change, and every reading of a secret, in the time range above. The log itself cannot be changed by anybody."
    >
      <div className="flex max-w-5xl flex-wrap gap-2">
        {AUDIT_FILTERS.map((field) => (
          <FilterBox
            key={field.name}
            label={field.label}
            placeholder={field.placeholder}
            value={filter[field.name] ?? ''}
            keyless
            restMs={300}
            most={500}
            onChange={(text) => narrow({ [field.name]: text })}
          />
        ))}
      </div>
      <Section title="What was done">
        <Loaded query={query} label="the audit log">
          {(data) => <Events rows={data.pages.flatMap((page) => page.data)} onNarrow={narrow} />}
        </Loaded>
        <MoreRows query={query} />
      </Section>
    </SettingsPage>
  );
}

/** Values of the details in one line, texts as they are, ids of people by their names. */
const detailText = (details: AuditEvent['details'], names: ReadonlyMap<string, string>) =>
  Object.entries(details)
    .map(([name, value]) => {
      const values = Array.isArray(value) ? value : [String(value)];
      return `${name}: ${values.map((each) => names.get(each) ?? each).join(', ')}`;
    })
    .join('; ');

const WHO: Record<AuditEvent['actorKind'], string> = {
  user: 'a person',
  key: 'a key',
  anonymous: 'this machine',
  system: 'Candela',
};

function Events(props: { rows: readonly AuditEvent[]; onNarrow: (filter: AuditSearch) => void }) {
  const link = (text: string, filter: AuditSearch, title?: string) => (
    <button
      type="button"
      title={title ?? `Only ${text}`}
      className="block max-w-44 truncate text-left hover:underline"
      onClick={() => props.onNarrow(filter)}
    >
      {text}
    </button>
  );
  // The log has ids of people; one who left, or is not among the first members, stays an id.
  const members = useInfiniteQuery(membersQuery());
  const names = new Map(
    (members.data?.pages ?? []).flatMap((page) => page.data.map(({ id, email }) => [id, email] as const)),
  );
  return (
    <Table
      label="What was done"
      rows={props.rows}
      keyOf={(event) => event.id}
      empty="Nothing in this time range fits."
      columns={[
        { label: 'When', cell: (event) => <When time={event.at} /> },
        {
          label: 'Who',
          cell: (event) =>
            event.actorId === null
              ? WHO[event.actorKind]
              : link(
                  event.actorName ?? names.get(event.actorId) ?? `${WHO[event.actorKind]} ${event.actorId}`,
                  { actorId: event.actorId },
                  event.actorId,
                ),
        },
        { label: 'What', cell: (event) => link(event.action, { action: event.action }) },
        {
          label: 'Object',
          cell: (event) =>
            event.objectId === null
              ? link(event.objectKind, { objectKind: event.objectKind })
              : link(
                  `${event.objectKind} ${names.get(event.objectId) ?? event.objectId}`,
                  { objectKind: event.objectKind, objectId: event.objectId },
                  event.objectId,
                ),
        },
        {
          label: 'Details',
          cell: (event) => (
            <span className="block max-w-52 truncate text-muted" title={detailText(event.details, names)}>
              {detailText(event.details, names)}
            </span>
          ),
        },
        {
          label: 'From',
          cell: (event) => (
            <span
              className="block max-w-40 truncate"
              title={`${event.userAgent ?? 'no user agent'}, request ${event.requestId}`}
            >
              {event.address ?? '–'}
            </span>
          ),
        },
      ]}
    />
  );
}
