import type { SavedView } from '@candela/contract';
import type { RecordKind } from '@candela/contract/filter';
import { useQuery } from '@tanstack/react-query';
import { useRouter, useRouterState } from '@tanstack/react-router';
import { Check, Pencil, RefreshCw, Trash2 } from 'lucide-react';
import { useRef, useState } from 'react';
import { createView, deleteView, updateView, viewsQuery } from '../../api/explore.ts';
import { transferFocus } from '../../lib/transfer-focus.ts';
import { parseSearch } from '../../lib/search-params.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { viewAddress, viewSearch } from '../../lib/view-search.ts';
import { Button } from '../../ui/button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { useFacetsText } from './facet-fields.ts';

/** What a view keeps, a line each; its search may be any text, percent signs that encode nothing among it. */
const inWords = (view: SavedView): string =>
  Object.entries(parseSearch(view.search))
    .map(([name, value]) => `${name}: ${value}`)
    .join('\n') || view.name;

type Editing = { readonly id: string; readonly what: 'rename' | 'replace' | 'delete'; readonly name: string };

/** Body of the menu of saved views. */
export default function SavedViewsPanel(props: { page: string; signal: RecordKind; onDone: () => void }) {
  const router = useRouter();
  const search = useRouterState({ select: (state) => state.location.search });
  const facets = useFacetsText(props.signal);
  const current = viewSearch(search, facets);
  // A view that says nothing of facets shows those of the person, as an address does.
  const also = 'facets' in search ? current : viewSearch(search, undefined);
  const views = useQuery(viewsQuery(props.page));
  const [name, setName] = useState('');
  const [editing, setEditing] = useState<Editing>();
  const { project } = useShell();
  const { person, can } = useWhoAsks();
  // Without a person it is the machine's own, or a key, and what the server says counts.
  const mayWrite = person === undefined || can('member');
  // One for all, so that what is told is what became of the last.
  const act = useApiMutation((run: () => Promise<unknown>) => run(), { touches: [['views']] });
  // One that ends late leaves open what was opened meanwhile.
  const change = (run: () => Promise<unknown>) =>
    act.mutate(run, { onSuccess: () => setEditing((now) => (now === editing ? undefined : now)) });
  const panel = useRef<HTMLDivElement>(null);
  /** What was asked of a view is done, and its buttons go: to the view, else to where a new one gets its name. */
  const toView = (from: Element, id: string) =>
    transferFocus(
      from,
      () =>
        panel.current?.querySelector<HTMLElement>(`[data-view="${CSS.escape(id)}"]`) ??
        panel.current?.querySelector<HTMLElement>('[data-first]'),
    );
  const open = (view: SavedView) => {
    props.onDone();
    router.history.push(viewAddress(view, project));
  };
  const row = (view: SavedView) => {
    const saved = parseSearch(view.search);
    const kept = viewSearch(saved, saved['facets']);
    const isSame = kept === current;
    const isCurrent = isSame || kept === also;
    if (editing?.id === view.id && editing.what !== 'rename') {
      const isDelete = editing.what === 'delete';
      return (
        <div className="flex items-center gap-2 px-2 py-1">
          <span className="min-w-0 grow truncate">
            {isDelete ? 'Delete' : 'Replace'} “{view.name}” for everybody?
          </span>
          <Button
            className="h-6 text-danger"
            autoFocus
            busy={act.isPending}
            onClick={(event) => {
              toView(event.currentTarget, view.id);
              change(() => (isDelete ? deleteView(view.id) : updateView(view.id, { search: current })));
            }}
          >
            {isDelete ? 'Delete' : 'Replace'}
          </Button>
          <Button
            className="h-6"
            onClick={(event) => {
              toView(event.currentTarget, view.id);
              setEditing(undefined);
            }}
          >
            Keep
          </Button>
        </div>
      );
    }
    if (editing?.id === view.id)
      return (
        <form
          className="flex items-center gap-2 px-2 py-1"
          onSubmit={(event) => {
            event.preventDefault();
            if (editing.name.trim() === '' || act.isPending) return;
            toView(event.currentTarget, view.id);
            change(() => updateView(view.id, { name: editing.name.trim() }));
          }}
        >
          <input
            autoFocus
            aria-label={`New name of ${view.name}`}
            maxLength={100}
            value={editing.name}
            onChange={(event) => setEditing({ ...editing, name: event.target.value })}
            className="h-6 min-w-0 grow rounded-md border border-line bg-bg px-2"
          />
          <Button className="h-6" type="submit" busy={act.isPending}>
            Rename
          </Button>
        </form>
      );
    return (
      <div className="group flex items-center rounded hover:bg-hover">
        <button
          type="button"
          data-view={view.id}
          aria-current={isCurrent}
          onClick={() => open(view)}
          className="flex h-7 min-w-0 grow items-center gap-2 px-2 text-left"
        >
          <span className="w-3.5 shrink-0">{isCurrent && <Check size={14} aria-hidden />}</span>
          <MiddleTruncation name={view.name} title={inWords(view)} />
        </button>
        {mayWrite && (
          <span className="flex shrink-0 text-muted opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
            {!isSame && (
              <Button
                look="plain"
                className="h-7 px-1.5"
                aria-label={`Replace ${view.name} by what is shown`}
                title="Replace by what is shown"
                onClick={() => setEditing({ id: view.id, what: 'replace', name: view.name })}
              >
                <RefreshCw size={13} aria-hidden />
              </Button>
            )}
            <Button
              look="plain"
              className="h-7 px-1.5"
              aria-label={`Rename ${view.name}`}
              title="Rename"
              onClick={() => setEditing({ id: view.id, what: 'rename', name: view.name })}
            >
              <Pencil size={13} aria-hidden />
            </Button>
            <Button
              look="plain"
              className="h-7 px-1.5"
              aria-label={`Delete ${view.name}`}
              title="Delete"
              onClick={() => setEditing({ id: view.id, what: 'delete', name: view.name })}
            >
              <Trash2 size={13} aria-hidden />
            </Button>
          </span>
        )}
      </div>
    );
  };
  return (
    <div ref={panel}>
      <div className="p-1">
        {views.isPending && <div role="status" aria-label="Loading views" className="skeleton m-2 h-16" />}
        {views.isError && <p className="p-2 text-sm text-danger">{views.error.message}</p>}
        {views.data?.length === 0 && (
          <p className="p-2 text-sm text-muted">
            No view of this page is saved yet. A view keeps search, time range, columns and order under a
            name, for everybody in the project.
          </p>
        )}
        {views.data && views.data.length > 0 && (
          <ul aria-label="Saved views">
            {views.data.map((view) => (
              <li key={view.id}>{row(view)}</li>
            ))}
          </ul>
        )}
      </div>
      {mayWrite && (
        <form
          className="flex gap-2 border-t border-line p-2"
          onSubmit={(event) => {
            event.preventDefault();
            if (name.trim() === '' || act.isPending) return;
            act.mutate(() => createView({ page: props.page, name: name.trim(), search: current }), {
              onSuccess: () => setName(''),
            });
          }}
        >
          <input
            data-first
            aria-label="Name of the new view"
            placeholder="Save what is shown as …"
            maxLength={100}
            value={name}
            onChange={(event) => setName(event.target.value)}
            className="h-7 min-w-0 grow rounded-md border border-line bg-bg px-2"
          />
          <Button look="primary" type="submit" disabled={name.trim() === '' || act.isPending}>
            Save
          </Button>
        </form>
      )}
      {act.error && (
        <p role="alert" className="px-3 pb-2 text-sm text-danger">
          {act.error.message}
        </p>
      )}
    </div>
  );
}
