import type { Board } from '@candela/contract';
import { useNavigate } from '@tanstack/react-router';
import { Copy, Maximize2, Minimize2, Pencil, Pin, PinOff, Plus } from 'lucide-react';
import { useState } from 'react';
import { BOARD_KEYS, duplicateBoard, exportBoard, pinBoard } from '../../api/boards.ts';
import { saveFile } from '../../lib/save-stream.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { BackLink } from '../../ui/page-head.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { DeleteBoard } from './board-dialogs.tsx';

const touches = [[...BOARD_KEYS]];

/** The title of a board, and what can be done with it. */
export function BoardHead(props: {
  board: Board;
  /** As they are being written. */
  form: Pick<Board, 'title' | 'visibility'> & { readonly tags: readonly string[] };
  wall: boolean;
  onWall: (on: boolean) => void;
  editing: boolean;
  onEdit: (on: boolean) => void;
  dirty: boolean;
  busy: boolean;
  onAdd: () => void;
  onSettings: () => void;
  onSave: () => void;
}) {
  const { board, form, wall } = props;
  const leave = useNavigate();
  const { person, can } = useWhoAsks();
  const [removing, setRemoving] = useState(false);
  const mayEdit = can('member');
  const copy = useApiMutation(duplicateBoard, {
    touches,
    onDone: ({ id }) => void leave({ to: '/boards/$board', params: { board: id } }),
  });
  const pin = useApiMutation(pinBoard, { touches });
  return (
    <>
      <header className="sticky top-0 z-20 flex min-h-11 shrink-0 flex-wrap items-center gap-2 border-b border-line bg-bg px-3 py-1.5">
        {!wall && <BackLink to="/boards" label="Back to the dashboards" />}
        <h1 className="min-w-0 truncate text-lg font-semibold" title={board.description}>
          {form.title}
        </h1>
        {board.seeded && <Badge>read-only</Badge>}
        {form.visibility === 'private' && <Badge>private</Badge>}
        {form.tags.map((tag) => (
          <Badge key={tag}>{tag}</Badge>
        ))}
        <span className="ml-auto flex flex-wrap items-center gap-1.5">
          {props.editing ? (
            <>
              <Button onClick={props.onAdd}>
                <Plus size={14} aria-hidden />
                Add widget
              </Button>
              <Button onClick={props.onSettings}>Settings</Button>
              <Button onClick={() => props.onEdit(false)}>{props.dirty ? 'Discard' : 'Done'}</Button>
              <Button look="primary" busy={props.busy} disabled={!props.dirty} onClick={props.onSave}>
                Save
              </Button>
            </>
          ) : (
            <>
              {person !== undefined && (
                <Button
                  look="plain"
                  aria-pressed={board.pinned}
                  aria-label={board.pinned ? 'Unpin' : 'Pin'}
                  title={board.pinned ? 'Unpin' : 'Pin for myself'}
                  busy={pin.isPending}
                  onClick={() => pin.mutate({ id: board.id, pinned: !board.pinned })}
                >
                  {board.pinned ? <PinOff size={14} aria-hidden /> : <Pin size={14} aria-hidden />}
                </Button>
              )}
              <Button
                look="plain"
                aria-label={wall ? 'Leave full screen' : 'Full screen'}
                title={wall ? 'Leave full screen' : 'Full screen'}
                onClick={() => props.onWall(!wall)}
              >
                {wall ? <Minimize2 size={14} aria-hidden /> : <Maximize2 size={14} aria-hidden />}
              </Button>
              <Button onClick={() => void saveBoard(board)}>Export</Button>
              {mayEdit && (
                <Button busy={copy.isPending} onClick={() => copy.mutate(board.id)}>
                  <Copy size={14} aria-hidden />
                  {board.seeded ? 'Duplicate to edit' : 'Duplicate'}
                </Button>
              )}
              {mayEdit && !board.seeded && (
                <>
                  <Button onClick={() => setRemoving(true)}>Delete</Button>
                  <Button look="primary" onClick={() => props.onEdit(true)}>
                    <Pencil size={14} aria-hidden />
                    Edit
                  </Button>
                </>
              )}
            </>
          )}
        </span>
      </header>
      <ErrorLine error={copy.error ?? pin.error} className="px-3 py-1" />
      {removing && <DeleteBoard board={board} onClose={() => setRemoving(false)} />}
    </>
  );
}

async function saveBoard(board: Board): Promise<void> {
  const file = await exportBoard(board.id);
  const name = board.title
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .toLowerCase()
    .slice(0, 80);
  saveFile(new Blob([JSON.stringify(file, null, 2)]), `${name}.json`, 'application/json');
}
