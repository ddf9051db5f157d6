import { isMac, isSingleKey, singleKeys } from '../lib/hotkeys.ts';

const NAMES: Record<string, string> = {
  Escape: 'Esc',
  ArrowDown: '↓',
  ArrowUp: '↑',
  ArrowLeft: '←',
  ArrowRight: '→',
  Enter: '↵',
};

/** One key combination as it stands on the keyboard; nothing where it was turned off. */
export function Kbd({ keys }: { keys: string }) {
  const off = singleKeys.use() === 'off';
  if (off && isSingleKey(keys)) return null;
  const text = keys
    .split('+')
    .map((key) =>
      key === 'mod' ? (isMac() ? '⌘' : 'Ctrl') : (NAMES[key] ?? (key.length === 1 ? key.toUpperCase() : key)),
    )
    .join(isMac() ? '' : '+');
  return (
    <kbd className="rounded border border-line bg-sunken px-1 font-sans text-xs text-muted">
      {keys.length === 1 ? keys : text}
    </kbd>
  );
}
