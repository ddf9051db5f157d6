import type { Board, ImportReport } from '@candela/contract';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { BOARD_KEYS, createBoard, deleteBoard, importBoard } from '../../api/boards.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Modal } from '../../ui/modal.tsx';
import { FolderField } from './folder-dialogs.tsx';

const touches = [[...BOARD_KEYS]];

/** Asks for the title of a new board, and opens it. `add`: a panel that is put on it first. */
export function NewBoard({ add, onClose }: { add?: string | undefined; onClose: () => void }) {
  const navigate = useNavigate();
  const [title, setTitle] = useState('');
  const [folderId, setFolder] = useState<string | null>(null);
  const create = useApiMutation(createBoard, {
    touches,
    onDone: ({ id }) =>
      void navigate({
        to: '/boards/$board',
        params: { board: id },
        ...(add === undefined ? {} : { search: { add } }),
      }),
  });
  return (
    <FormDialog
      title="New dashboard"
      action="Create"
      busy={create.isPending}
      error={create.error}
      ready={title.trim() !== ''}
      onSubmit={() => create.mutate({ title, folderId })}
      onClose={onClose}
    >
      <TextField label="Title" value={title} onValue={setTitle} maxLength={120} autoFocus />
      <FolderField label="Folder" value={folderId} onValue={setFolder} />
    </FormDialog>
  );
}

/** Takes a file of a board, and says what became of each of its widgets. */
export function ImportBoard({ onClose }: { onClose: () => void }) {
  const navigate = useNavigate();
  const [text, setText] = useState('');
  const [folderId, setFolder] = useState<string | null>(null);
  const [wrong, setWrong] = useState<Error>();
  const [done, setDone] = useState<{ board: Board; report: ImportReport }>();
  const take = useApiMutation(importBoard, { touches, onDone: setDone });
  const submit = () => {
    setWrong(undefined);
    try {
      const read: unknown = JSON.parse(text);
      if (typeof read !== 'object' || read === null || Array.isArray(read)) throw new Error('no object');
      take.mutate({ document: { ...read }, folderId });
    } catch {
      setWrong(new Error('This is no JSON object.'));
    }
  };
  if (done !== undefined) {
    const missing = done.report.widgets.filter(({ outcome }) => outcome === 'placeholder');
    // What was taken with a difference says which.
    const told = done.report.widgets.filter(({ reason }) => reason !== null);
    return (
      <Modal label="Imported" onClose={onClose} className="w-[min(560px,94vw)]">
        <div className="flex flex-col gap-2 p-4">
          <h2 className="text-lg font-semibold">Imported</h2>
          <p>
            {done.report.widgets.length - missing.length} of {done.report.widgets.length} widgets were taken
            {missing.length > 0 && '; the others are placeholders that say why'}.
          </p>
          <ul className="max-h-60 overflow-y-auto text-sm">
            {told.map(({ title, reason, outcome }, index) => (
              <li key={index} className="border-b border-line/50 py-1 last:border-0">
                <span className="font-medium">{title}</span>
                {outcome === 'placeholder' && <span className="text-danger"> placeholder</span>}{' '}
                <span className="text-muted">{reason}</span>
              </li>
            ))}
          </ul>
          <div className="flex justify-end">
            <Button
              look="primary"
              onClick={() => void navigate({ to: '/boards/$board', params: { board: done.board.id } })}
            >
              Open
            </Button>
          </div>
        </div>
      </Modal>
    );
  }
  return (
    <FormDialog
      title="Import a dashboard"
      action="Import"
      busy={take.isPending}
      error={wrong ?? take.error}
      ready={text.trim() !== ''}
      wide
      onSubmit={submit}
      onClose={onClose}
    >
      <p className="text-muted">
        A file of Candela, a layout JSON with “widgets” and “layouts”, or a classic Grafana dashboard.
      </p>
      <label className="flex flex-col gap-1">
        File
        <input
          type="file"
          accept="application/json,.json"
          onChange={(event) => {
            const [file] = event.target.files ?? [];
            if (file) void file.text().then(setText);
          }}
        />
      </label>
      <FolderField label="Folder" value={folderId} onValue={setFolder} />
      <TextArea label="JSON" value={text} onValue={setText} rows={10} spellCheck={false} />
    </FormDialog>
  );
}

export function DeleteBoard({ board, onClose }: { board: Board; onClose: () => void }) {
  const navigate = useNavigate();
  const remove = useApiMutation(deleteBoard, {
    touches: [[...BOARD_KEYS, 'list']],
    onDone: () => void navigate({ to: '/boards' }),
  });
  return (
    <ConfirmDialog
      title={`Delete “${board.title}”?`}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(board.id)}
      onClose={onClose}
    >
      <p>
        Its {board.widgetCount} widgets go with it
        {board.visibility === 'project' && ', for everybody in the project'}.
      </p>
    </ConfirmDialog>
  );
}
