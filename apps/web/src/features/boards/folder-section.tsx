import type { BoardFolder, BoardSummary } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { ChevronDown, ChevronRight, FolderPlus, LayoutDashboard, Pencil, Pin, Trash2 } from 'lucide-react';
import { type ReactNode, useState } from 'react';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { DeleteFolder, FolderDialog } from './folder-dialogs.tsx';
import type { FolderNode } from './folders.ts';

/** Boards as cards. `add`: the panel that is to be put on the one that is chosen. */
export function BoardCards({ boards, add }: { boards: readonly BoardSummary[]; add: string | undefined }) {
  return (
    <ul className="grid gap-2 sm:grid-cols-2 xl:grid-cols-3">
      {boards.map((board) => (
        <li key={board.id}>
          <Link
            to="/boards/$board"
            params={{ board: board.id }}
            search={add === undefined ? {} : { add }}
            className="flex h-full min-h-16 flex-col gap-0.5 rounded-md border border-line bg-surface p-2.5 hover:border-accent"
          >
            <span className="flex items-center gap-2 font-medium">
              <LayoutDashboard size={14} aria-hidden className="shrink-0 text-muted" />
              <span className="truncate">{board.title}</span>
              {board.pinned && <Pin size={12} aria-label="pinned" className="shrink-0 text-accent" />}
              {board.visibility === 'private' && <Badge>private</Badge>}
              <span className="ml-auto shrink-0 text-sm font-normal text-muted">
                {board.widgetCount} {board.widgetCount === 1 ? 'widget' : 'widgets'}
              </span>
            </span>
            {board.description !== '' && (
              <span className="line-clamp-2 text-sm text-muted">{board.description}</span>
            )}
            {board.tags.length > 0 && (
              <span className="flex flex-wrap gap-1">
                {board.tags.map((tag) => (
                  <Badge key={tag}>{tag}</Badge>
                ))}
              </span>
            )}
          </Link>
        </li>
      ))}
    </ul>
  );
}

/** A folder with its folders and boards; it can be closed. */
export function FolderSection(props: {
  node: FolderNode;
  /** Boards of a folder by its id. */
  boards: ReadonlyMap<string | null, readonly BoardSummary[]>;
  add: string | undefined;
  mayChange: boolean;
  /** Folders that hold none of what is sought are left out. */
  hideEmpty: boolean;
}) {
  const { node, boards, mayChange } = props;
  const { folder, children } = node;
  const [open, setOpen] = useState(true);
  const [dialog, setDialog] = useState<'inside' | 'change' | 'delete'>();
  const own = boards.get(folder.id) ?? [];
  if (props.hideEmpty && countOf(node, boards) === 0) return null;
  const Chevron = open ? ChevronDown : ChevronRight;
  return (
    <section aria-label={folder.name} className="flex flex-col gap-1.5">
      <div className="group/folder flex h-7 items-center gap-1 text-sm">
        <h2 className="min-w-0 font-medium text-muted">
          <button
            type="button"
            aria-expanded={open}
            onClick={() => setOpen(!open)}
            className="flex items-center gap-1 rounded px-1 hover:text-text"
          >
            <Chevron size={14} aria-hidden className="shrink-0" />
            <span className="truncate">{folder.name}</span>
          </button>
        </h2>
        <span className="text-faint">{countOf(node, boards)}</span>
        {mayChange && (
          <span className="flex opacity-0 group-focus-within/folder:opacity-100 group-hover/folder:opacity-100 pointer-coarse:opacity-100">
            <Act label={`New folder in ${folder.name}`} onClick={() => setDialog('inside')}>
              <FolderPlus size={12} aria-hidden />
            </Act>
            <Act label={`Rename or move the folder ${folder.name}`} onClick={() => setDialog('change')}>
              <Pencil size={12} aria-hidden />
            </Act>
            <Act label={`Delete the folder ${folder.name}`} onClick={() => setDialog('delete')}>
              <Trash2 size={12} aria-hidden />
            </Act>
          </span>
        )}
      </div>
      {open && (
        <div className="ml-2 flex flex-col gap-2 border-l border-line pl-3">
          {children.map((child) => (
            <FolderSection {...props} key={child.folder.id} node={child} />
          ))}
          {own.length > 0 && <BoardCards boards={own} add={props.add} />}
          {own.length === 0 && children.length === 0 && <p className="text-sm text-faint">Empty</p>}
        </div>
      )}
      <FolderAction dialog={dialog} folder={folder} onClose={() => setDialog(undefined)} />
    </section>
  );
}

function FolderAction(props: {
  dialog: 'inside' | 'change' | 'delete' | undefined;
  folder: BoardFolder;
  onClose: () => void;
}) {
  const { folder, onClose } = props;
  switch (props.dialog) {
    case 'inside':
      return <FolderDialog parentId={folder.id} onClose={onClose} />;
    case 'change':
      return <FolderDialog folder={folder} onClose={onClose} />;
    case 'delete':
      return <DeleteFolder folder={folder} onClose={onClose} />;
    case undefined:
      return null;
  }
}

const Act = (props: { label: string; onClick: () => void; children: ReactNode }) => (
  <Button
    look="plain"
    className="h-6 px-1"
    aria-label={props.label}
    title={props.label}
    onClick={props.onClick}
  >
    {props.children}
  </Button>
);

/** Boards in a folder and in those below it. */
function countOf(
  { folder, children }: FolderNode,
  boards: ReadonlyMap<string | null, readonly BoardSummary[]>,
): number {
  return children.reduce((sum, child) => sum + countOf(child, boards), boards.get(folder.id)?.length ?? 0);
}
