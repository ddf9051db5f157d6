import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Pencil, Plus, Trash2 } from 'lucide-react';
import { useState } from 'react';
import { CHAT_KEYS, chatsQuery, deleteChat } from '../../api/chat.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { useShell } from '../shell/shell-search.ts';
import { RenameChatDialog } from './rename-chat.tsx';
import { ThreadView } from './thread-view.tsx';

const route = getRouteApi('/assistant');

/** Conversations with the assistant: one's own, and the one that is open. */
export function AssistantPage() {
  const { environment } = useShell();
  const { chat } = route.useSearch();
  const navigate = route.useNavigate();
  const open = (id: string | undefined) =>
    void navigate({ search: (before) => ({ ...before, chat: id }) as typeof before });
  const [renaming, setRenaming] = useState(false);
  const chats = useQuery(chatsQuery(environment));
  const remove = useApiMutation((id: string) => deleteChat(environment, id), {
    touches: [[...CHAT_KEYS, 'list']],
    onDone: () => open(undefined),
  });
  const shown = chats.data?.find(({ id }) => id === chat);
  return (
    <div className="flex h-full min-h-0 max-md:flex-col">
      <title>Assistant · Candela</title>
      <h1 className="sr-only">Assistant</h1>
      <aside
        aria-label="Conversations"
        className="flex w-60 shrink-0 flex-col gap-1 overflow-y-auto border-r border-line bg-sunken p-2 max-md:max-h-36 max-md:w-full max-md:border-r-0 max-md:border-b"
      >
        <Button onClick={() => open(undefined)}>
          <Plus size={14} aria-hidden />
          New conversation
        </Button>
        <ErrorLine error={chats.error ?? remove.error} />
        {(chats.data ?? []).map(({ id, title }) => (
          <div key={id} className="flex items-center gap-1">
            <button
              type="button"
              aria-current={id === chat}
              onClick={() => open(id)}
              title={title}
              className="h-7 min-w-0 grow truncate rounded-md px-2 text-left text-muted hover:bg-hover hover:text-text aria-[current=true]:bg-selected aria-[current=true]:text-text"
            >
              {title}
            </button>
            {id === chat && (
              <Button
                look="plain"
                className="h-6"
                aria-label={`Rename ${title}`}
                onClick={() => setRenaming(true)}
              >
                <Pencil size={13} aria-hidden />
              </Button>
            )}
            {id === chat && (
              <Button
                look="plain"
                className="h-6"
                aria-label={`Delete ${title}`}
                busy={remove.isPending}
                onClick={() => remove.mutate(id)}
              >
                <Trash2 size={13} aria-hidden />
              </Button>
            )}
          </div>
        ))}
      </aside>
      <div className="min-h-0 min-w-0 grow">
        <ThreadView chatId={chat} onChat={open} />
      </div>
      {renaming && shown !== undefined && (
        <RenameChatDialog chat={shown} onClose={() => setRenaming(false)} />
      )}
    </div>
  );
}
