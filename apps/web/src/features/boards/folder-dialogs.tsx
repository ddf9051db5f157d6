import type { BoardFolder } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { BOARD_KEYS, boardsQuery, createFolder, deleteFolder, updateFolder } from '../../api/boards.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { SelectField, TextField } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { folderChoices } from './folders.ts';

const touches = [[...BOARD_KEYS]];

/** Chooses a folder, or none. `without`: neither this one nor those in it. */
export function FolderField(props: {
  label: string;
  value: string | null;
  without?: string | undefined;
  onValue: (id: string | null) => void;
}) {
  const folders = useQuery(boardsQuery()).data?.folders ?? [];
  return (
    <SelectField
      label={props.label}
      value={props.value ?? ''}
      onValue={(id) => props.onValue(id === '' ? null : id)}
      options={[{ value: '', label: 'None' }, ...folderChoices(folders, props.without)]}
    />
  );
}

/** Makes a folder, or renames and moves one. */
export function FolderDialog(props: {
  folder?: BoardFolder | undefined;
  /** Where a new one begins. */
  parentId?: string | null | undefined;
  onClose: () => void;
}) {
  const { folder, onClose } = props;
  const [name, setName] = useState(folder?.name ?? '');
  const [parentId, setParent] = useState(folder?.parentId ?? props.parentId ?? null);
  const create = useApiMutation(createFolder, { touches, onDone: onClose });
  const update = useApiMutation(updateFolder, { touches, onDone: onClose });
  return (
    <FormDialog
      title={folder === undefined ? 'New folder' : 'Rename or move the folder'}
      action={folder === undefined ? 'Create' : 'Save'}
      busy={create.isPending || update.isPending}
      error={create.error ?? update.error}
      ready={name.trim() !== ''}
      onSubmit={() =>
        folder === undefined
          ? create.mutate({ name, parentId })
          : update.mutate({ id: folder.id, name, parentId })
      }
      onClose={onClose}
    >
      <TextField label="Name" value={name} onValue={setName} maxLength={80} autoFocus />
      <FolderField label="In the folder" value={parentId} without={folder?.id} onValue={setParent} />
    </FormDialog>
  );
}

export function DeleteFolder({ folder, onClose }: { folder: BoardFolder; onClose: () => void }) {
  const remove = useApiMutation(deleteFolder, { touches, onDone: onClose });
  return (
    <ConfirmDialog
      title={`Delete the folder “${folder.name}”?`}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(folder.id)}
      onClose={onClose}
    >
      <p>A folder that holds dashboards or folders cannot be deleted: move them first.</p>
    </ConfirmDialog>
  );
}
