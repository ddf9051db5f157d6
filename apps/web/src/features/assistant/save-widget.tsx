import type { ChatChart, Panel } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useState } from 'react';
import { BOARD_KEYS, boardsQuery } from '../../api/boards.ts';
import { saveSqlWidget } from '../../api/chat.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Modal } from '../../ui/modal.tsx';

/** Puts a statement on a dashboard, or on a new one. */
export function SaveWidgetDialog(props: {
  sql: string;
  type: ChatChart['type'];
  visual: Panel['visual'];
  onClose: () => void;
}) {
  const boards = useQuery(boardsQuery()).data?.boards.filter(({ seeded }) => !seeded) ?? [];
  const [title, setTitle] = useState('');
  const [boardId, setBoardId] = useState('');
  const save = useApiMutation(saveSqlWidget, { touches: [BOARD_KEYS] });
  const { x, y, series } = props.visual;
  if (save.data !== undefined) {
    return (
      <Modal label="Saved" onClose={props.onClose} className="w-[min(440px,94vw)]">
        <p className="p-4" role="status">
          Saved.{' '}
          <Link to="/boards/$board" params={{ board: save.data.boardId }} className="text-accent underline">
            Open the dashboard
          </Link>
        </p>
      </Modal>
    );
  }
  return (
    <FormDialog
      title="Save as widget"
      action="Save"
      busy={save.isPending}
      error={save.error}
      ready={title.trim() !== ''}
      onSubmit={() =>
        save.mutate({
          title,
          type: props.type,
          query: props.sql,
          ...(boardId === '' ? {} : { boardId }),
          ...(x === undefined ? {} : { x }),
          ...(y === undefined ? {} : { y }),
          ...(series === undefined ? {} : { series }),
        })
      }
      onClose={props.onClose}
    >
      <TextField label="Title" value={title} onValue={setTitle} maxLength={120} autoFocus />
      <SelectField
        label="Dashboard"
        value={boardId}
        onValue={setBoardId}
        options={[
          { value: '', label: 'A new dashboard' },
          ...boards.map((board) => ({ value: board.id, label: board.title })),
        ]}
      />
    </FormDialog>
  );
}
