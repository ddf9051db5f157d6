import { Search } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { cx } from '../lib/cx.ts';
import { useHotkey } from '../lib/hotkeys.ts';
import { Kbd } from './kbd.tsx';

/** A box for plain words that narrow what is on the page; `/` goes there, Escape leaves it. */
export function FilterBox(props: {
  label: string;
  placeholder: string;
  value: string;
  /** Hears the trimmed words. */
  onChange: (text: string) => void;
  /** Waits so long for the typing to rest: where every change asks the server. */
  restMs?: number;
  /** Characters that are taken. */
  most?: number;
  /** One of several on a page: no key leads to it. */
  keyless?: true;
  className?: string;
}) {
  const { restMs = 0, most = 200 } = props;
  const box = useRef<HTMLInputElement>(null);
  const timer = useRef<ReturnType<typeof setTimeout>>(undefined);
  const [typed, setTyped] = useState(props.value);
  const [given, setGiven] = useState(props.value);
  if (given !== props.value) {
    setGiven(props.value);
    if (props.value !== typed.trim()) setTyped(props.value);
  }
  useEffect(() => () => clearTimeout(timer.current), []);
  useHotkey('/', () => box.current?.focus(), {
    label: 'Search',
    group: 'Everywhere',
    enabled: props.keyless !== true,
  });
  const tell = (text: string) => {
    clearTimeout(timer.current);
    props.onChange(text.trim());
  };
  return (
    <div
      className={cx(
        'flex h-8 min-w-48 grow items-center gap-2 rounded-md border border-line bg-surface px-2 focus-within:border-accent-fill',
        props.className,
      )}
    >
      <Search size={14} aria-hidden className="shrink-0 text-muted" />
      <input
        ref={box}
        type="search"
        value={typed}
        aria-label={props.label}
        placeholder={props.placeholder}
        maxLength={most}
        spellCheck={false}
        onChange={(event) => {
          const text = event.target.value;
          setTyped(text);
          clearTimeout(timer.current);
          if (restMs === 0) tell(text);
          else timer.current = setTimeout(() => tell(text), restMs);
        }}
        onKeyDown={(event) => {
          if (event.key === 'Enter') tell(typed);
          else if (event.key === 'Escape') event.currentTarget.blur();
        }}
        className="h-full min-w-0 grow bg-transparent text-sm outline-none placeholder:text-faint"
      />
      {typed === '' && props.keyless !== true && <Kbd keys="/" />}
    </div>
  );
}
