import { Plus, X } from 'lucide-react';
import type { Pair } from '../lib/property-text.ts';
import { Button } from './button.tsx';

const BOX = 'h-7 min-w-0 rounded-md border border-line bg-bg px-2 font-mono text-sm disabled:opacity-60';

/** Names and their values under each other; JSON counts as what it says, anything else as text. */
export function PairsField(props: {
  label: string;
  hint?: string;
  pairs: readonly Pair[];
  onPairs: (pairs: Pair[]) => void;
  most?: number;
  disabled?: boolean;
}) {
  const { pairs, most = 50, disabled = false } = props;
  const set = (at: number, change: Partial<Pair>) =>
    props.onPairs(pairs.map((pair, index) => (index === at ? { ...pair, ...change } : pair)));
  const twice = pairs.find(({ key }, at) => key !== '' && pairs.findIndex((pair) => pair.key === key) !== at);
  return (
    <fieldset className="flex min-w-0 flex-col gap-1">
      <legend className="mb-1 text-sm font-medium">{props.label}</legend>
      {pairs.map((pair, at) => (
        // A row is its place: keys change while they are typed.
        <div key={at} className="flex items-center gap-1">
          <input
            aria-label={`Name ${at + 1}`}
            value={pair.key}
            maxLength={100}
            disabled={disabled}
            placeholder="name"
            onChange={(event) => set(at, { key: event.target.value })}
            className={`${BOX} w-1/3`}
          />
          <input
            aria-label={`Value of ${pair.key === '' ? `name ${at + 1}` : pair.key}`}
            value={pair.text}
            maxLength={4_000}
            disabled={disabled}
            placeholder="value"
            onChange={(event) => set(at, { text: event.target.value })}
            className={`${BOX} grow`}
          />
          {!disabled && (
            <Button
              look="plain"
              aria-label={`Take away ${pair.key === '' ? `row ${at + 1}` : pair.key}`}
              onClick={() => props.onPairs(pairs.filter((_, index) => index !== at))}
            >
              <X size={13} aria-hidden />
            </Button>
          )}
        </div>
      ))}
      {!disabled && pairs.length < most && (
        <Button className="h-6 self-start" onClick={() => props.onPairs([...pairs, { key: '', text: '' }])}>
          <Plus size={13} aria-hidden />
          Add
        </Button>
      )}
      {twice !== undefined ? (
        <p role="alert" className="text-sm text-danger">
          {twice.key} stands here twice: the last one counts.
        </p>
      ) : (
        <p className="text-sm text-muted">{props.hint ?? 'Numbers, true, false and JSON count as such.'}</p>
      )}
    </fieldset>
  );
}
