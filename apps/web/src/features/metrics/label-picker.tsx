import { Check } from 'lucide-react';
import { useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { Button } from '../../ui/button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { Popover } from '../../ui/popover.tsx';

interface Label {
  readonly field: string;
  readonly valueCount: number;
  readonly values: readonly { readonly value: string }[];
}

const MOST = 5;

/** `attributes.http.route` without where it comes from. */
export const shortField = (field: string): string => field.replace(/^(attributes|resource|scope)\./, '');

/** Chooses up to five labels to group by; those with one value only stand last. */
export function LabelPicker(props: {
  name: string;
  labels: readonly Label[];
  chosen: readonly string[];
  disabled: boolean;
  onChange: (fields: readonly string[]) => void;
}) {
  const { chosen } = props;
  const [wanted, setWanted] = useState('');
  const found = props.labels
    .filter(({ field }) => field.toLowerCase().includes(wanted.trim().toLowerCase()))
    .toSorted((a, b) => Number(a.valueCount < 2) - Number(b.valueCount < 2));
  const shown = chosen.length === 0 ? 'nothing' : chosen.map(shortField).join(', ');
  const toggle = (field: string) =>
    props.onChange(chosen.includes(field) ? chosen.filter((one) => one !== field) : [...chosen, field]);
  return (
    <Popover
      label={`Labels of ${props.name}`}
      align="start"
      className="w-96 max-w-[92vw] p-1"
      trigger={
        <Button
          disabled={props.disabled}
          aria-label={`Group ${props.name} by ${shown}`}
          title={chosen.join(', ')}
        >
          <span className="text-muted">by</span>{' '}
          <MiddleTruncation name={shown} title="" className="max-w-56" />
        </Button>
      }
    >
      <input
        aria-label={`Find labels of ${props.name}`}
        placeholder="Find a label"
        value={wanted}
        onChange={(event) => setWanted(event.target.value)}
        className="mb-1 h-7 w-full rounded-md border border-line bg-surface px-2 text-sm outline-none focus:border-accent-fill"
      />
      <ul className="max-h-80 overflow-auto">
        {found.map(({ field, valueCount, values }) => {
          const isChosen = chosen.includes(field);
          return (
            <li key={field}>
              <button
                type="button"
                aria-pressed={isChosen}
                disabled={!isChosen && chosen.length >= MOST}
                title={values
                  .slice(0, 10)
                  .map(({ value }) => value)
                  .join(', ')}
                onClick={() => toggle(field)}
                className="flex h-7 w-full items-center gap-2 rounded px-2 text-left hover:bg-hover disabled:opacity-50 aria-pressed:bg-selected"
              >
                <Check size={14} aria-hidden className={cx('shrink-0', !isChosen && 'invisible')} />
                <MiddleTruncation name={field} title="" className="font-mono text-sm" />
                <span className="ml-auto shrink-0 text-sm text-muted">
                  {valueCount} {valueCount === 1 ? 'value' : 'values'}
                </span>
              </button>
            </li>
          );
        })}
        {found.length === 0 && <li className="px-2 py-1 text-sm text-muted">No label of that name.</li>}
      </ul>
    </Popover>
  );
}
