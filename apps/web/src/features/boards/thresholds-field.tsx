import type { Panel } from '@candela/contract';
import { Plus, Trash2 } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextField } from '../../ui/field.tsx';

type Threshold = NonNullable<Panel['visual']['thresholds']>[number];

const MOST = 5;
const START: Threshold = { value: 0, when: 'above', tone: 'warn' };

/** Values from which on a figure is good, to be watched or bad; the last one that it passes counts. */
export function ThresholdsField(props: {
  value: readonly Threshold[];
  onChange: (thresholds: Threshold[]) => void;
}) {
  const { value } = props;
  const set = (at: number, next: Partial<Threshold>) =>
    props.onChange(value.map((one, index) => (index === at ? { ...one, ...next } : one)));
  return (
    <fieldset className="flex flex-col gap-2 rounded-md border border-line p-2">
      <legend className="px-1 text-sm text-muted">Thresholds</legend>
      {value.map((one, at) => (
        <div key={at} className="flex items-end gap-2">
          <SelectField
            label={`Threshold ${at + 1}`}
            value={one.when}
            onValue={(when) => set(at, { when: when === 'below' ? 'below' : 'above' })}
            options={[
              { value: 'above', label: 'above' },
              { value: 'below', label: 'below' },
            ]}
          />
          <TextField
            label="Value"
            aria-label={`Value of threshold ${at + 1}`}
            type="number"
            step="any"
            value={String(one.value)}
            onValue={(text) => Number.isFinite(Number(text)) && set(at, { value: Number(text) })}
          />
          <SelectField
            label="Tone"
            aria-label={`Tone of threshold ${at + 1}`}
            value={one.tone}
            onValue={(tone) => set(at, { tone: tone as Threshold['tone'] })}
            options={[
              { value: 'ok', label: 'good' },
              { value: 'warn', label: 'warning' },
              { value: 'danger', label: 'bad' },
            ]}
          />
          <Button
            look="plain"
            aria-label={`Remove threshold ${at + 1}`}
            onClick={() => props.onChange(value.filter((_one, index) => index !== at))}
          >
            <Trash2 size={14} aria-hidden />
          </Button>
        </div>
      ))}
      {value.length < MOST && (
        <Button className="self-start" onClick={() => props.onChange([...value, START])}>
          <Plus size={14} aria-hidden />
          Add threshold
        </Button>
      )}
    </fieldset>
  );
}
