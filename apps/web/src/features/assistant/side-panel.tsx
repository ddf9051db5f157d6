import { Link } from '@tanstack/react-router';
import { Plus, X } from 'lucide-react';
import { useState } from 'react';
import { Button } from '../../ui/button.tsx';
import { ThreadView } from './thread-view.tsx';

/** The assistant beside any page; it knows what is on screen. */
export default function SidePanel({ onClose }: { onClose: () => void }) {
  const [chat, setChat] = useState<string>();
  return (
    <aside
      aria-label="Assistant"
      className="flex w-[420px] shrink-0 flex-col border-l border-line bg-bg max-lg:fixed max-lg:inset-y-0 max-lg:right-0 max-lg:z-40 max-lg:w-[min(420px,100vw)] max-lg:shadow-pop"
    >
      <header className="flex h-11 shrink-0 items-center gap-1 border-b border-line px-2">
        <h2 className="mr-auto font-medium">Assistant</h2>
        {chat !== undefined && (
          <Link to="/assistant" search={{ chat }} className="px-2 text-sm text-accent underline">
            Open as page
          </Link>
        )}
        <Button look="plain" aria-label="New conversation" onClick={() => setChat(undefined)}>
          <Plus size={14} aria-hidden />
        </Button>
        <Button look="plain" aria-label="Close the assistant" onClick={onClose}>
          <X size={14} aria-hidden />
        </Button>
      </header>
      <div className="min-h-0 grow">
        <ThreadView chatId={chat} onChat={setChat} withPage />
      </div>
    </aside>
  );
}
