import type { Board, Widget } from '@candela/contract';
import { nextPlace } from '@candela/contract/layout';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { BOARD_KEYS, type BoardAround, boardQuery, replaceBoard } from '../../api/boards.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { UnsavedGuard } from '../../ui/unsaved-guard.tsx';
import { useGuardedForm } from '../build/use-guarded-form.ts';
import { useWhoAsks } from '../session/use-person.ts';
import { startOf } from '../panels/panel-start.ts';
import { refreshNow, useShell } from '../shell/shell-search.ts';
import { BoardGrid, heightOf } from './board-grid.tsx';
import { BoardHead } from './board-head.tsx';
import { chosenOf, panelOfText } from './board-search.ts';
import { BoardSettings } from './board-settings.tsx';
import { useBoardData } from './use-board-data.ts';
import { useInView } from './use-in-view.ts';
import { useUnsaved } from './use-unsaved.ts';
import { VariablesBar } from './variables-bar.tsx';
import { WidgetCard } from './widget-card.tsx';
import { WidgetEditor } from './widget-editor.tsx';

const route = getRouteApi('/boards/$board');

/** One board: its widgets, and its editor. */
export function BoardPage() {
  const { board: id } = route.useParams();
  const query = useQuery(boardQuery(id));
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  if (query.data === undefined) return <SkeletonRows label="Loading the dashboard" />;
  return <OpenBoard key={id} board={query.data} onAskAgain={() => void query.refetch()} />;
}

interface BoardForm {
  readonly title: string;
  readonly description: string;
  readonly tags: readonly string[];
  readonly folderId: string | null;
  readonly visibility: Board['visibility'];
  readonly refreshSeconds: number;
  readonly variables: Board['variables'];
  readonly widgets: readonly Widget[];
}

const formOf = (board: Board): BoardForm => ({
  title: board.title,
  description: board.description,
  tags: board.tags,
  folderId: board.folderId,
  visibility: board.visibility,
  refreshSeconds: board.refreshSeconds,
  variables: board.variables,
  widgets: board.widgets,
});

const newId = (): string => `w${crypto.getRandomValues(new Uint32Array(2)).join('')}`;

function OpenBoard({ board, onAskAgain }: { board: Board; onAskAgain: () => void }) {
  const { range, environment, compare, window } = useShell();
  const search = route.useSearch();
  const navigate = route.useNavigate();
  const client = useQueryClient();
  const { can } = useWhoAsks();
  const [editing, setEditing] = useState(false);
  const [edited, setEdited] = useState<Widget>();
  const [settings, setSettings] = useState(false);
  const form = useGuardedForm<Board, BoardForm>({
    kept: board,
    formOf,
    textOf: (one) => JSON.stringify(one),
    put: (one, revision) =>
      replaceBoard(board.id, {
        ...one,
        tags: [...one.tags],
        widgets: [...one.widgets],
        refreshSeconds: one.refreshSeconds as 0,
        revision,
      }),
    onSaved: (kept) => {
      client.setQueryData(boardQuery(board.id).queryKey, kept);
      void client.invalidateQueries({ queryKey: [...BOARD_KEYS, 'list'] });
    },
    onConflict: onAskAgain,
  });
  const { widgets, variables } = form.form;
  const filters = useMemo(() => chosenOf(search.vars, board.variables), [search.vars, board.variables]);
  const around: BoardAround = useMemo(
    () => ({ from: range.from, to: range.to, compare, filters, environment }),
    [range.from, range.to, compare, filters, environment],
  );
  const { visible, watch } = useInView();
  const inView = board.widgets.filter((one) => visible.has(one.id)).map((one) => one.id);
  const { states, error } = useBoardData(board.id, board.revision, inView, {
    ...around,
    from: new Date(window.fromMs).toISOString(),
    to: new Date(window.toMs).toISOString(),
  });
  const edits: BoardAround = { ...around, filters: chosenOf(search.vars, variables), variables };
  const unsaved = useUnsaved(widgets, board.widgets, visible, edits);
  useRefresh(board.refreshSeconds, editing);
  const scope = useMemo(() => ({ window, q: '', environment }), [window, environment]);
  const mayEdit = can('member');
  const put = (next: readonly Widget[]) => form.change({ widgets: next });
  const add = () =>
    setEdited({
      id: newId(),
      title: 'New widget',
      description: '',
      query: startOf('aggregate'),
      visual: { type: 'line' },
      place: { x: 0, y: 0, w: 0, h: 0 },
    });
  // A panel of another page arrives in the address.
  const [arrived, setArrived] = useState<string>();
  if (search.add !== undefined && arrived !== search.add && !board.seeded) {
    setArrived(search.add);
    const given = panelOfText(search.add);
    if (given !== undefined) {
      setEditing(true);
      setEdited({
        id: newId(),
        title: given.title,
        description: '',
        ...given.panel,
        place: { x: 0, y: 0, w: 0, h: 0 },
      });
    }
  }
  const wall = search.wall === true;
  const setWall = (on: boolean) =>
    void navigate({ search: (before) => ({ ...before, wall: on ? true : undefined }) as typeof before });
  const isNew = edited !== undefined && !widgets.some(({ id }) => id === edited.id);
  return (
    <div
      className={
        wall
          ? 'fixed inset-0 z-40 flex flex-col overflow-auto bg-bg'
          : 'flex h-full min-h-0 flex-col overflow-auto'
      }
    >
      <title>{`${form.form.title} · Candela`}</title>
      <UnsavedGuard unsaved={form.dirty} what="this dashboard" />
      <BoardHead
        board={board}
        form={form.form}
        wall={wall}
        onWall={setWall}
        editing={editing}
        onEdit={(on) => {
          if (!on) form.restart(board);
          setEditing(on);
        }}
        dirty={form.dirty}
        busy={form.busy}
        onAdd={add}
        onSettings={() => setSettings(true)}
        onSave={() => form.save()}
      />
      {form.conflict && (
        <div
          role="alert"
          className="flex flex-wrap items-center gap-2 border-b border-line bg-danger-soft px-3 py-2"
        >
          <span>Somebody else changed this dashboard. Yours is still here.</span>
          <Button className="ml-auto" onClick={() => form.restart(board)}>
            Take theirs
          </Button>
          <Button look="danger" onClick={() => form.save(true)}>
            Save mine over it
          </Button>
        </div>
      )}
      <ErrorLine error={form.conflict ? undefined : (form.error ?? error)} className="px-3 py-1" />
      <VariablesBar
        variables={board.variables}
        chosen={filters}
        scope={scope}
        onChoose={(next) =>
          void navigate({
            search: (before) =>
              ({
                ...before,
                vars: Object.keys(next).length === 0 ? undefined : JSON.stringify(next),
              }) as typeof before,
            replace: true,
          })
        }
      />
      <div className="p-2">
        {widgets.length === 0 ? (
          <Notice title="No widgets yet">
            {board.seeded || !mayEdit ? (
              'Nothing is on this dashboard.'
            ) : (
              <Button
                look="primary"
                onClick={() => {
                  setEditing(true);
                  add();
                }}
              >
                Add the first widget
              </Button>
            )}
          </Notice>
        ) : (
          <BoardGrid widgets={widgets} editing={editing} onLayout={put} watch={watch}>
            {(widget, handles) => (
              <WidgetCard
                widget={widget}
                state={unsaved.get(widget.id) ?? states.get(widget.id)}
                scope={scope}
                fill={{ variables: board.variables, chosen: filters }}
                height={heightOf(widget.place)}
                handles={handles}
                editing={editing}
                onEdit={() => setEdited(widget)}
                onCopy={() => {
                  const { w, h } = widget.place;
                  const place = nextPlace(
                    widgets.map(({ id, place: at }) => ({ id, ...at })),
                    { w, h },
                  );
                  put([...widgets, { ...widget, id: newId(), place }]);
                }}
                onRemove={() => put(widgets.filter(({ id }) => id !== widget.id))}
              />
            )}
          </BoardGrid>
        )}
      </div>
      {edited && (
        <WidgetEditor
          key={edited.id}
          widget={edited}
          isNew={isNew}
          around={edits}
          window={window}
          onClose={() => {
            setEdited(undefined);
            if (search.add !== undefined)
              void navigate({
                search: ({ add: _gone, ...before }) => before,
                replace: true,
              });
          }}
          onDone={(next) => {
            put(
              isNew
                ? [
                    ...widgets,
                    {
                      ...next,
                      place: nextPlace(
                        widgets.map(({ id, place }) => ({ id, ...place })),
                        next.visual.type === 'stat' ? { w: 2, h: 2 } : { w: 6, h: 4 },
                      ),
                    },
                  ]
                : widgets.map((one) => (one.id === next.id ? next : one)),
            );
            setEdited(undefined);
            if (search.add !== undefined)
              void navigate({
                search: ({ add: _gone, ...before }) => before,
                replace: true,
              });
          }}
        />
      )}
      {settings && (
        <BoardSettings
          value={{ ...form.form, variables }}
          onClose={() => setSettings(false)}
          onDone={(next) => {
            form.change(next);
            setSettings(false);
          }}
        />
      )}
    </div>
  );
}

/** The time range ends now again, as often as the board says; not while it is edited. */
function useRefresh(seconds: number, paused: boolean): void {
  useEffect(() => {
    if (seconds === 0 || paused) return undefined;
    const timer = setInterval(() => {
      if (document.visibilityState === 'visible') refreshNow();
    }, seconds * 1_000);
    return () => clearInterval(timer);
  }, [seconds, paused]);
}
