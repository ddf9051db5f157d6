import { Search } from 'lucide-react';
import { useRef, useState } from 'react';
import { useHotkey } from '../../lib/hotkeys.ts';

/** Filters what is on the page by words as they are typed; `/` goes there. */
export function FilterBox(props: {
  label: string;
  placeholder: string;
  value: string;
  onChange: (text: string) => void;
}) {
  const box = useRef<HTMLInputElement>(null);
  const [typed, setTyped] = useState(props.value);
  const [given, setGiven] = useState(props.value);
  if (given !== props.value) {
    setGiven(props.value);
    setTyped(props.value);
  }
  useHotkey('/', () => box.current?.focus(), { label: props.label, group: 'Hosts' });
  return (
    <label className="flex h-8 min-w-48 grow items-center gap-2 rounded-md border border-line bg-surface px-2 focus-within:border-accent-fill">
      <Search size={14} aria-hidden className="text-muted" />
      <input
        ref={box}
        type="search"
        value={typed}
        aria-label={props.label}
        placeholder={props.placeholder}
        onChange={(event) => {
          setTyped(event.target.value);
          props.onChange(event.target.value);
        }}
        onKeyDown={(event) => event.key === 'Escape' && box.current?.blur()}
        className="w-full bg-transparent outline-none placeholder:text-faint"
      />
    </label>
  );
}
