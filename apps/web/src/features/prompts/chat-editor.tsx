import { MESSAGE_ROLES, type PromptMessage, ROLE_NAMES } from '@candela/contract/messages';
import { ArrowUp, Plus, X } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { marksOf } from './marks.ts';

/** The messages of a chat prompt, each with its role; they can be added, removed and moved up. */
export default function ChatEditor(props: {
  messages: readonly PromptMessage[];
  /** Absent: they can be read only. */
  onMessages: ((messages: readonly PromptMessage[]) => void) | undefined;
}) {
  const { messages, onMessages } = props;
  const set = (at: number, next: Partial<PromptMessage>) =>
    onMessages?.(messages.map((one, index) => (index === at ? { ...one, ...next } : one)));
  const moveUp = (at: number) => {
    const [before, moved] = messages.slice(at - 1, at + 1);
    if (before !== undefined && moved !== undefined)
      onMessages?.([...messages.slice(0, at - 1), moved, before, ...messages.slice(at + 1)]);
  };
  const nextRole = messages.at(-1)?.role === 'user' ? 'assistant' : 'user';
  return (
    <ol aria-label="Messages" className="flex flex-col gap-3">
      {messages.map(({ role, content }, at) => (
        <li key={at} className="flex flex-col gap-1">
          <div className="flex items-center gap-1">
            <select
              aria-label={`Role of message ${at + 1}`}
              value={role}
              disabled={onMessages === undefined}
              onChange={(event) => {
                const chosen = MESSAGE_ROLES.find((one) => one === event.target.value);
                if (chosen !== undefined) set(at, { role: chosen });
              }}
              className="h-7 rounded-md border border-line bg-bg px-1 text-sm"
            >
              {MESSAGE_ROLES.map((one) => (
                <option key={one} value={one}>
                  {ROLE_NAMES[one]}
                </option>
              ))}
            </select>
            {onMessages !== undefined && (
              <span className="ml-auto flex gap-1">
                <Button
                  look="plain"
                  className="h-7 px-1.5"
                  aria-label={`Move message ${at + 1} up`}
                  disabled={at === 0}
                  onClick={() => moveUp(at)}
                >
                  <ArrowUp size={14} aria-hidden />
                </Button>
                <Button
                  look="plain"
                  className="h-7 px-1.5"
                  aria-label={`Remove message ${at + 1}`}
                  disabled={messages.length === 1}
                  onClick={() => onMessages(messages.filter((_, index) => index !== at))}
                >
                  <X size={14} aria-hidden />
                </Button>
              </span>
            )}
          </div>
          <CodeEditor
            label={`Message ${at + 1}`}
            value={content}
            onValue={onMessages && ((text) => set(at, { content: text }))}
            marks={marksOf}
            placeholder={role === 'system' ? 'Answer in {{language}}.' : '{{question}}'}
            className="max-h-96"
          />
        </li>
      ))}
      {onMessages !== undefined && (
        <li>
          <Button onClick={() => onMessages([...messages, { role: nextRole, content: '' }])}>
            <Plus size={14} aria-hidden />
            Add a message
          </Button>
        </li>
      )}
    </ol>
  );
}
