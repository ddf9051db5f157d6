import { useQuery } from '@tanstack/react-query';
import { ChevronsUpDown } from 'lucide-react';
import { environmentsQuery } from '../../api/telemetry.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { ChoiceMenu } from '../../ui/menu.tsx';
import { useShell } from './shell-search.ts';

/** Project and environment of everything on screen. */
export function EnvironmentSwitcher() {
  const { environment, setEnvironment } = useShell();
  const { data } = useQuery(environmentsQuery());
  const known = data?.data.find((facet) => facet.field === 'environment')?.values ?? [];
  const names = known.map((entry) => entry.value);
  const choices = [
    { value: '', label: 'All environments' },
    ...known.map((entry) => ({ value: entry.value, label: entry.value, hint: formatCount(entry.count) })),
    ...(environment !== undefined && !names.includes(environment)
      ? [{ value: environment, label: environment }]
      : []),
  ];
  return (
    <ChoiceMenu
      label="Environment"
      value={environment ?? ''}
      choices={choices}
      onChoose={(value) => setEnvironment(value === '' ? undefined : value)}
      trigger={
        <Button look="plain" title="Environment" data-testid="environment">
          <span className="text-muted max-sm:sr-only">default</span>
          <span className="text-faint max-sm:hidden" aria-hidden>
            /
          </span>
          <span className="max-w-40 truncate text-text max-sm:max-w-24">
            {environment ?? 'All environments'}
          </span>
          <ChevronsUpDown size={13} aria-hidden />
        </Button>
      }
    />
  );
}
