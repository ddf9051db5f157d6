import type { BoardSummary } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi, Link } from '@tanstack/react-router';
import { FolderPlus, LayoutDashboard, Pin, Plus, Trash2, Upload } from 'lucide-react';
import { useState } from 'react';
import { BOARD_KEYS, boardsQuery, deleteFolder } from '../../api/boards.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { FilterBox } from '../../ui/filter-box.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { ImportBoard, NewBoard, NewFolder } from './board-dialogs.tsx';
import { panelOfText } from './board-search.ts';

const route = getRouteApi('/boards/');

/** All boards: pinned ones, folders, the rest, and those that come with the product. */
export function BoardsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(boardsQuery());
  const { can } = useWhoAsks();
  const [dialog, setDialog] = useState<'new' | 'folder' | 'import'>();
  const removeFolder = useApiMutation(deleteFolder, { touches: [[...BOARD_KEYS]] });
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <SkeletonRows label="Loading dashboards" />;
  const { folders } = query.data;
  const adding = panelOfText(search.add);
  const text = (search.search ?? '').toLowerCase();
  const boards = query.data.boards.filter(
    ({ title, description, tags, seeded }) =>
      (adding === undefined || !seeded) &&
      [title, description, ...tags].some((one) => one.toLowerCase().includes(text)),
  );
  const mayMake = can('member');
  const add = search.add === undefined ? {} : { add: search.add };
  const group = (title: string, list: readonly BoardSummary[], aside?: React.ReactNode) =>
    list.length === 0 && aside === undefined ? null : (
      <section key={title} aria-label={title} className="flex flex-col gap-1.5">
        <h2 className="flex h-7 items-center gap-2 text-sm font-medium text-muted">
          {title}
          {aside}
        </h2>
        <ul className="grid gap-2 sm:grid-cols-2 xl:grid-cols-3">
          {list.map((board) => (
            <li key={board.id}>
              <Link
                to="/boards/$board"
                params={{ board: board.id }}
                search={add}
                className="flex h-full min-h-16 flex-col gap-0.5 rounded-md border border-line bg-surface p-2.5 hover:border-accent"
              >
                <span className="flex items-center gap-2 font-medium">
                  <LayoutDashboard size={14} aria-hidden className="shrink-0 text-muted" />
                  <span className="truncate">{board.title}</span>
                  {board.pinned && <Pin size={12} aria-label="pinned" className="shrink-0 text-accent" />}
                  {board.visibility === 'private' && <Badge>private</Badge>}
                  <span className="ml-auto shrink-0 text-sm font-normal text-muted">
                    {board.widgetCount} widgets
                  </span>
                </span>
                {board.description !== '' && (
                  <span className="line-clamp-2 text-sm text-muted">{board.description}</span>
                )}
              </Link>
            </li>
          ))}
        </ul>
      </section>
    );
  return (
    <div className="flex h-full flex-col overflow-auto">
      <title>Dashboards · Candela</title>
      <h1 className="sr-only">Dashboards</h1>
      <div className="flex shrink-0 flex-wrap items-center gap-2 border-b border-line px-3 py-2">
        <FilterBox
          label="Search dashboards"
          placeholder="Title, description, tag"
          value={search.search ?? ''}
          restMs={150}
          onChange={(next) =>
            void navigate({
              search: (before) => ({ ...before, search: next || undefined }) as typeof before,
              replace: true,
            })
          }
        />
        {mayMake && (
          <span className="ml-auto flex flex-wrap gap-2">
            <Button onClick={() => setDialog('folder')}>
              <FolderPlus size={14} aria-hidden />
              New folder
            </Button>
            <Button onClick={() => setDialog('import')}>
              <Upload size={14} aria-hidden />
              Import
            </Button>
            <Button look="primary" onClick={() => setDialog('new')}>
              <Plus size={14} aria-hidden />
              New dashboard
            </Button>
          </span>
        )}
      </div>
      {adding !== undefined && (
        <p role="status" className="border-b border-line bg-selected px-3 py-2">
          Choose the dashboard for “{adding.title}”, or make a new one.
        </p>
      )}
      <ErrorLine error={removeFolder.error} className="px-3 py-1" />
      <div className="flex flex-col gap-4 p-3">
        {group(
          'Pinned',
          boards.filter(({ pinned }) => pinned),
        )}
        {folders.map((folder) =>
          group(
            folder.name,
            boards.filter(({ folderId }) => folderId === folder.id),
            mayMake ? (
              <Button
                look="plain"
                className="h-6 px-1"
                aria-label={`Delete the folder ${folder.name}`}
                title="Delete the folder, when it is empty"
                onClick={() => removeFolder.mutate(folder.id)}
              >
                <Trash2 size={12} aria-hidden />
              </Button>
            ) : undefined,
          ),
        )}
        {group(
          'Dashboards',
          boards.filter(({ folderId, seeded }) => folderId === null && !seeded),
        )}
        {group(
          'From Candela',
          boards.filter(({ seeded }) => seeded),
        )}
        {boards.length === 0 && (
          <p className="py-8 text-center text-muted">
            {text === '' ? 'No dashboard of your own yet.' : 'No dashboard matches.'}
          </p>
        )}
      </div>
      {dialog === 'new' && <NewBoard add={search.add} onClose={() => setDialog(undefined)} />}
      {dialog === 'folder' && <NewFolder onClose={() => setDialog(undefined)} />}
      {dialog === 'import' && <ImportBoard onClose={() => setDialog(undefined)} />}
    </div>
  );
}
