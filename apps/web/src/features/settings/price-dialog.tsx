import type { CustomPrice } from '@candela/contract';
import { useState } from 'react';
import { changePrice, createPrice } from '../../api/prices.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CheckField, SelectField, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import {
  type Begun,
  bodyOf,
  MORE_RATES,
  RATE_FIELDS,
  RULE_FIELDS,
  type Written,
  writtenOf,
} from './price-form.ts';

/** A new price, or other figures of one that is there. */
export function PriceDialog(props: { price?: CustomPrice; begun?: Begun; onClose: () => void }) {
  const { price, begun, onClose } = props;
  const [written, setWritten] = useState(() => writtenOf(price ?? begun ?? {}));
  const [shown, setShown] = useState(() => hasMore(writtenOf(price ?? begun ?? {})));
  const set = (change: Partial<Written>) => setWritten({ ...written, ...change });
  // Whatever shows a cost is asked again.
  const about = { touches: [[]], onDone: onClose };
  const make = useApiMutation(createPrice, about);
  const change = useApiMutation(changePrice, about);
  const body = bodyOf(written, price?.rates ?? begun?.rates);
  const save = () => {
    if (typeof body === 'string') return;
    if (price === undefined) make.mutate(body);
    else change.mutate({ ...body, id: price.id, version: price.version });
  };
  const numbers = (fields: readonly (readonly [keyof Written['rates'], string, string])[]) => (
    <div className="grid grid-cols-4 gap-3 max-sm:grid-cols-2">
      {fields.map(([field, label, hint]) => (
        <TextField
          key={field}
          label={label}
          inputMode="decimal"
          autoComplete="off"
          value={written.rates[field] ?? ''}
          onValue={(value) => set({ rates: { ...written.rates, [field]: value } })}
          hint={hint}
        />
      ))}
    </div>
  );
  return (
    <FormDialog
      title={price === undefined ? 'New price' : `Price of ${price.names[0] ?? 'a model'}`}
      action={price === undefined ? 'Set the price' : 'Change'}
      wide
      busy={make.isPending || change.isPending}
      error={make.error ?? change.error}
      ready={typeof body !== 'string'}
      onSubmit={save}
      onClose={onClose}
    >
      <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
        <TextField
          label="Models"
          required
          autoFocus
          spellCheck={false}
          autoComplete="off"
          placeholder="gpt-4o, gpt-4o-2024-*"
          value={written.names}
          onValue={(names) => set({ names })}
          hint="Names as calls have them, with commas between. A * at the end stands for all that begin so."
        />
        <TextField
          label="Provider"
          maxLength={100}
          spellCheck={false}
          autoComplete="off"
          placeholder="openai"
          value={written.provider}
          onValue={(provider) => set({ provider })}
          hint="As calls name it. Empty: whoever serves the model."
        />
        <SelectField
          label="Applies to"
          value={written.scope}
          onValue={(scope) => set({ scope: scope === 'organisation' ? scope : 'project' })}
          options={[
            { value: 'project', label: 'This project' },
            { value: 'organisation', label: 'Every project of the organisation' },
          ]}
        />
        <TextField
          label="Note"
          maxLength={500}
          placeholder="Contract of 2026"
          value={written.note}
          onValue={(note) => set({ note })}
        />
        <TextField
          label="Valid from"
          type="date"
          value={written.validFrom}
          onValue={(validFrom) => set({ validFrom })}
          hint="Empty: all earlier calls too."
        />
        <TextField
          label="Valid to"
          type="date"
          value={written.validTo}
          onValue={(validTo) => set({ validTo })}
          hint="The first day on which it holds no more."
        />
      </div>
      {numbers(RATE_FIELDS)}
      <details open={shown} onToggle={(event) => setShown(event.currentTarget.open)}>
        <summary className="cursor-pointer text-sm text-muted">
          More classes of tokens, long prompts, service tiers, regions, hours
        </summary>
        <div className="mt-3 flex flex-col gap-3">
          {numbers(MORE_RATES)}
          {numbers(RULE_FIELDS)}
          <div className="grid grid-cols-2 gap-3 max-sm:grid-cols-1">
            <TextField
              label="Hours of the peak (UTC)"
              placeholder="9-17, 20-22"
              value={written.hours}
              onValue={(hours) => set({ hours })}
            />
            <CheckField
              label="Peak on weekdays only"
              checked={written.weekdays}
              onChange={(weekdays) => set({ weekdays })}
            />
          </div>
        </div>
      </details>
      {typeof body === 'string' && written.names !== '' && (
        <p role="status" className="text-sm text-muted">
          {body}
        </p>
      )}
    </FormDialog>
  );
}

const hasMore = ({ rates }: Written): boolean =>
  [...MORE_RATES, ...RULE_FIELDS].some(([field]) => (rates[field] ?? '') !== '');
