import type { BoardVariable } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { ChevronDown } from 'lucide-react';
import { useState } from 'react';
import { fieldValuesQuery } from '../../api/explore.ts';
import type { Scope } from '../../api/telemetry.ts';
import { Button } from '../../ui/button.tsx';
import { Popover } from '../../ui/popover.tsx';

type Chosen = Readonly<Record<string, readonly string[]>>;

/** The variables of a board, each with what is chosen of it. */
export function VariablesBar(props: {
  variables: readonly BoardVariable[];
  chosen: Chosen;
  scope: Scope;
  onChoose: (next: Chosen) => void;
}) {
  if (props.variables.length === 0) return null;
  const choose = (name: string, values: readonly string[] | undefined) => {
    const { [name]: _before, ...rest } = props.chosen;
    props.onChoose(values === undefined ? rest : { ...rest, [name]: values });
  };
  return (
    <div className="flex shrink-0 flex-wrap items-center gap-1.5 border-b border-line px-3 py-1.5">
      {props.variables.map((variable) => (
        <Variable
          key={variable.name}
          variable={variable}
          values={props.chosen[variable.name] ?? variable.initial}
          scope={props.scope}
          onChoose={(values) => choose(variable.name, values)}
        />
      ))}
    </div>
  );
}

function Variable(props: {
  variable: BoardVariable;
  values: readonly string[];
  scope: Scope;
  onChoose: (values: readonly string[] | undefined) => void;
}) {
  const { variable, values, onChoose } = props;
  const [open, setOpen] = useState(false);
  const [typed, setTyped] = useState('');
  const { kind, field = '' } = variable;
  const found = useQuery({
    ...fieldValuesQuery({ ...props.scope, q: '' }, 'spans', field, typed),
    enabled: open && kind === 'field' && field !== '',
  });
  const offered =
    kind === 'list' ? variable.values : kind === 'field' ? (found.data ?? []).map(({ value }) => value) : [];
  const shown = [...new Set([...values, ...offered])];
  const toggle = (value: string) => {
    if (values.includes(value)) onChoose(values.filter((one) => one !== value));
    else onChoose(variable.multi ? [...values, value] : [value]);
  };
  const [first] = values;
  const without = variable.without ?? [];
  const all = without.length === 0 ? 'all' : `all but ${without.join(', ')}`;
  const words = first === undefined ? all : values.length === 1 ? first : `${values.length} chosen`;
  return (
    <Popover
      label={variable.label}
      open={open}
      onOpenChange={setOpen}
      align="start"
      className="w-64"
      trigger={
        <Button>
          <span className="text-muted">{variable.label}</span>{' '}
          <span className="max-w-40 truncate">{words}</span>
          <ChevronDown size={13} aria-hidden />
        </Button>
      }
    >
      <form
        className="flex flex-col gap-1 p-2"
        onSubmit={(event) => {
          event.preventDefault();
          if (typed.trim() !== '') toggle(typed.trim());
          setTyped('');
        }}
      >
        <input
          data-first
          aria-label={kind === 'field' ? `Search ${variable.label}` : variable.label}
          type={kind === 'number' ? 'number' : 'text'}
          value={typed}
          onChange={(event) => setTyped(event.target.value)}
          placeholder={kind === 'field' ? 'Search values' : 'Value, then Enter'}
          className="h-7 rounded-md border border-line bg-bg px-2"
        />
        {found.isFetching && shown.length === 0 && (
          <p role="status" className="px-1 text-sm text-muted">
            Loading …
          </p>
        )}
        <ul className="flex max-h-64 flex-col overflow-y-auto">
          {shown.map((value) => (
            <li key={value}>
              <button
                type="button"
                aria-pressed={values.includes(value)}
                onClick={() => toggle(value)}
                className="flex h-7 w-full items-center truncate rounded px-2 text-left hover:bg-hover aria-pressed:bg-selected"
              >
                {value || '(none)'}
              </button>
            </li>
          ))}
        </ul>
        {values.length > 0 && (
          <Button look="plain" onClick={() => onChoose(undefined)}>
            Clear
          </Button>
        )}
      </form>
    </Popover>
  );
}
