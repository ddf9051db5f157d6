import { Search } from 'lucide-react';
import { useId, useMemo, useRef, useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { exact } from '../../lib/format.ts';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Modal } from '../../ui/modal.tsx';
import { type Command, matchCommands } from './commands.ts';

/** Commands that are drawn: every key draws them again. */
const MOST_DRAWN = 120;

/** A list of everything one can do, filtered by typing; `extra` turns the typed text itself into commands. */
export function CommandPalette(props: {
  commands: readonly Command[];
  extra: (query: string) => { first: readonly Command[]; last: readonly Command[] };
  onClose: () => void;
}) {
  const [query, setQuery] = useState('');
  const [active, setActive] = useState(0);
  const listId = useId();
  const list = useRef<HTMLDivElement>(null);
  const { shown, hidden } = useMemo(() => {
    const { first, last } = props.extra(query);
    const matching = matchCommands(props.commands, query);
    return {
      shown: [...first, ...matching.slice(0, MOST_DRAWN), ...last],
      hidden: Math.max(0, matching.length - MOST_DRAWN),
    };
  }, [props, query]);
  const at = Math.min(active, shown.length - 1);
  const move = (to: number) => {
    const next = (to + shown.length) % Math.max(1, shown.length);
    setActive(next);
    list.current?.querySelectorAll('[role=option]')[next]?.scrollIntoView({ block: 'nearest' });
  };
  const run = (command: Command | undefined) => {
    if (!command) return;
    props.onClose();
    command.run();
  };
  return (
    <Modal label="Command palette" onClose={props.onClose} className="w-[min(600px,92vw)]">
      <div className="flex items-center gap-2 border-b border-line px-3">
        <Search size={15} className="text-muted" aria-hidden />
        <input
          autoFocus
          role="combobox"
          aria-expanded
          aria-controls={listId}
          aria-activedescendant={at >= 0 ? `${listId}-${at}` : undefined}
          aria-label="Type a command, a page or a trace id"
          placeholder="Type a command, a page or a trace id"
          value={query}
          onChange={(event) => {
            setQuery(event.target.value);
            setActive(0);
          }}
          onKeyDown={(event) => {
            if (event.key === 'ArrowDown') move(at + 1);
            else if (event.key === 'ArrowUp') move(at - 1);
            else if (event.key === 'Enter') run(shown[at]);
            else return;
            event.preventDefault();
          }}
          className="h-11 grow bg-transparent outline-none placeholder:text-faint"
        />
      </div>
      <div
        ref={list}
        id={listId}
        role="listbox"
        aria-label="Commands"
        className="max-h-[50vh] overflow-auto p-1"
      >
        {shown.map((command, index) => (
          <div
            key={command.id}
            id={`${listId}-${index}`}
            role="option"
            aria-selected={index === at}
            tabIndex={-1}
            onPointerMove={() => setActive(index)}
            onClick={() => run(command)}
            className={cx(
              'flex h-8 cursor-pointer items-center gap-3 rounded px-2',
              index === at && 'bg-hover',
            )}
          >
            <span className="w-24 shrink-0 truncate text-muted">{command.group}</span>
            <MiddleTruncation name={command.label} />
            {command.hint !== undefined && <span className="ml-auto text-sm text-muted">{command.hint}</span>}
          </div>
        ))}
      </div>
      {/* There from the start: what comes into a status is heard, what comes with one is not. */}
      <div role="status" className="text-muted">
        {hidden > 0 && (
          <p className="border-t border-line px-3 py-1.5 text-sm">
            {exact(hidden)} more; more words find them
          </p>
        )}
        {shown.length === 0 && <p className="px-3 pb-4">Nothing matches. Paste a trace id to open it.</p>}
      </div>
    </Modal>
  );
}
