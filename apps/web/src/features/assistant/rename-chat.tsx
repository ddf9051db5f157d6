import type { ChatSummary } from '@candela/contract';
import { useState } from 'react';
import { CHAT_KEYS, renameChat } from '../../api/chat.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';

/** Gives a conversation another name. */
export function RenameChatDialog({ chat, onClose }: { chat: ChatSummary; onClose: () => void }) {
  const { environment } = useShell();
  const [title, setTitle] = useState(chat.title);
  const save = useApiMutation((name: string) => renameChat(environment, chat.id, name), {
    touches: [CHAT_KEYS],
    onDone: onClose,
  });
  return (
    <FormDialog
      title="Rename the conversation"
      action="Rename"
      busy={save.isPending}
      error={save.error}
      ready={title.trim() !== ''}
      onSubmit={() => save.mutate(title.trim())}
      onClose={onClose}
    >
      <TextField label="Title" value={title} onValue={setTitle} maxLength={120} autoFocus />
    </FormDialog>
  );
}
