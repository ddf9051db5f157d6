import type { ContextSummary } from '@candela/contract';
import { keepPreviousData, useInfiniteQuery } from '@tanstack/react-query';
import { getRouteApi, Link, useNavigate } from '@tanstack/react-router';
import { contextsQuery } from '../../api/contexts.ts';
import { usePersistedSearch } from '../../lib/persisted-search.ts';
import { Badge } from '../../ui/badge.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import type { GridColumn } from '../../ui/data-grid.tsx';
import { Segments } from '../../ui/segments.tsx';
import { ListPage } from '../build/list-page.tsx';
import { StartHere } from '../build/start-here.tsx';
import { countCell, Muted, textCell, TIME_WIDTH, TimeCell } from '../explore/cells.tsx';
import { useShell } from '../shell/shell-search.ts';
import { type ContextsSearch, persistedContexts, STATUSES } from './contexts-search.ts';
import { NewContext } from './new-context.tsx';
import { contextSnippets } from './snippets.ts';

const route = getRouteApi('/contexts/');

const COLUMNS: readonly GridColumn<ContextSummary>[] = [
  {
    id: 'name',
    label: 'Context',
    width: 170,
    grow: 1,
    record: 'lead',
    cell: (row, tabIndex) => (
      <Link
        to="/contexts/$context"
        params={{ context: row.id }}
        tabIndex={tabIndex}
        className="font-medium hover:underline"
      >
        <MiddleTruncation name={row.name} />
      </Link>
    ),
  },
  {
    id: 'status',
    label: 'Status',
    width: 84,
    cell: (row) => (row.status === 'ACTIVE' ? <Badge tone="ok">active</Badge> : <Badge>inactive</Badge>),
  },
  {
    id: 'preview',
    label: 'Content',
    width: 220,
    grow: 2.4,
    record: 'text',
    cell: (row) => <Muted>{row.preview.replaceAll(/\s+/g, ' ')}</Muted>,
  },
  { id: 'tags', label: 'Tags', width: 110, grow: 0.6, cell: (row) => textCell(row.tags.join(', ')) },
  { id: 'length', label: 'Characters', width: 80, align: 'end', cell: (row) => countCell(row.length) },
  { id: 'version', label: 'Version', width: 64, align: 'end', cell: (row) => row.version },
  { id: 'by', label: 'By', width: 110, grow: 0.5, cell: (row) => textCell(row.updatedBy) },
  { id: 'updated', label: 'Changed', width: TIME_WIDTH, cell: (row) => <TimeCell iso={row.updatedAt} /> },
];

/** Texts that rules hand to applications. */
export function ContextsPage() {
  const { environment } = useShell();
  const search = route.useSearch();
  const navigate = useNavigate();
  usePersistedSearch(persistedContexts, search);
  const { search: text = '', status } = search;
  const query = useInfiniteQuery({
    ...contextsQuery(environment, { q: text, status: status ?? '' }),
    placeholderData: keepPreviousData,
  });
  const change = (next: { [Key in keyof ContextsSearch]?: ContextsSearch[Key] | undefined }) =>
    void navigate({
      from: '/contexts/',
      search: (before) => ({ ...before, ...next }) as typeof before,
      replace: true,
    });
  const open = (id: string) => void navigate({ to: '/contexts/$context', params: { context: id } });
  return (
    <ListPage
      noun="context"
      nouns="contexts"
      columns={COLUMNS}
      query={query}
      search={{
        text,
        placeholder: 'Part of a name, a description or a tag',
        onChange: (next) => change({ search: next }),
      }}
      narrowed={status}
      filters={
        <Segments
          label="Status"
          value={status ?? 'all'}
          choices={['all', ...STATUSES]}
          nameOf={(value) => value.toLowerCase()}
          onChoose={(value) => change({ status: value === 'all' ? undefined : value })}
        />
      }
      onShowAll={() => change({ search: undefined, status: undefined })}
      active={search.row}
      onActive={(row) => change({ row })}
      onOpen={open}
      start={
        <StartHere title="Write the first context" snippets={contextSnippets(location.origin)}>
          A context is a text that applications add to what they send to a model: a policy, a price list, a
          tone. Rules decide who gets which, so that it changes here and not in the code.
        </StartHere>
      }
      creator={(onClose) => <NewContext onMade={open} onClose={onClose} />}
    />
  );
}
