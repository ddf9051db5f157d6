import { useState } from 'react';
import { createRuleIn, RULE_KEYS } from '../../api/rules.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';

/** A name; the conditions are written on its own page, and until then it matches nothing. */
export function NewRule(props: { onMade: (id: string) => void; onClose: () => void }) {
  const { environment } = useShell();
  const [name, setName] = useState('');
  const make = useApiMutation(createRuleIn(environment), {
    touches: [RULE_KEYS],
    onDone: (made) => props.onMade(made.id),
  });
  return (
    <FormDialog
      title="New rule"
      action="Create"
      busy={make.isPending}
      error={make.error}
      ready={name.trim() !== ''}
      onSubmit={() => make.mutate({ name: name.trim(), groups: [] })}
      onClose={props.onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        autoComplete="off"
        maxLength={100}
        placeholder="Gold customers"
        hint="Until it has conditions it matches nothing."
        value={name}
        onValue={setName}
      />
    </FormDialog>
  );
}
