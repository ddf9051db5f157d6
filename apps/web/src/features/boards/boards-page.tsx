import type { BoardSummary } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { FolderPlus, Plus, Upload } from 'lucide-react';
import { useState } from 'react';
import { boardsQuery } from '../../api/boards.ts';
import { Button } from '../../ui/button.tsx';
import { FilterBox } from '../../ui/filter-box.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { ImportBoard, NewBoard } from './board-dialogs.tsx';
import { panelOfText } from './board-search.ts';
import { FolderDialog } from './folder-dialogs.tsx';
import { BoardCards, FolderSection } from './folder-section.tsx';
import { folderTree } from './folders.ts';

const route = getRouteApi('/boards/');

/** All boards: pinned ones, the tree of folders, the rest, and those that come with the product. */
export function BoardsPage() {
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const query = useQuery(boardsQuery());
  const { can } = useWhoAsks();
  const [dialog, setDialog] = useState<'new' | 'folder' | 'import'>();
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
  const byFolder = Map.groupBy(
    boards.filter(({ seeded }) => !seeded),
    ({ folderId }) => folderId,
  );
  const mayMake = can('member');
  const group = (title: string, list: readonly BoardSummary[]) =>
    list.length > 0 && (
      <section aria-label={title} className="flex flex-col gap-1.5">
        <h2 className="flex h-7 items-center text-sm font-medium text-muted">{title}</h2>
        <BoardCards boards={list} add={search.add} />
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
      <div className="flex flex-col gap-4 p-3">
        {group(
          'Pinned',
          boards.filter(({ pinned }) => pinned),
        )}
        {folderTree(folders).map((node) => (
          <FolderSection
            key={node.folder.id}
            node={node}
            boards={byFolder}
            add={search.add}
            mayChange={mayMake}
            hideEmpty={text !== ''}
          />
        ))}
        {group('Dashboards', byFolder.get(null) ?? [])}
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
      {dialog === 'folder' && <FolderDialog onClose={() => setDialog(undefined)} />}
      {dialog === 'import' && <ImportBoard onClose={() => setDialog(undefined)} />}
    </div>
  );
}
