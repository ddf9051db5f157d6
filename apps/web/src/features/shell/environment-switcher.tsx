import { useQuery } from '@tanstack/react-query';
import { ChevronsUpDown } from 'lucide-react';
import { environmentsQuery } from '../../api/telemetry.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { ChoiceMenu } from '../../ui/menu.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from './shell-search.ts';

/** The environment of everything on screen, or all of them. */
export function EnvironmentSwitcher() {
  const { environment, project, setEnvironment } = useShell();
  const { status, reads } = useWhoAsks();
  const { data } = useQuery({ ...environmentsQuery(), enabled: reads });
  const reached = status?.person?.projects ?? status?.anonymous?.projects ?? [];
  const sent = data?.data.find((facet) => facet.field === 'environment')?.values ?? [];
  const counts = new Map(sent.map((entry) => [entry.value, entry.count]));
  const made = (reached.find((each) => each.id === project) ?? reached[0])?.environments ?? [];
  // Those with records first, as many as they have; then those that only exist, and the one in the address.
  const names = new Set([...counts.keys(), ...made, ...(environment === undefined ? [] : [environment])]);
  const choices = [
    { value: '', label: 'All environments' },
    ...[...names].map((name) => {
      const count = counts.get(name);
      return { value: name, label: name, ...(count === undefined ? {} : { hint: formatCount(count) }) };
    }),
  ];
  return (
    <ChoiceMenu
      label="Environment"
      value={environment ?? ''}
      choices={choices}
      onChoose={(value) => setEnvironment(value === '' ? undefined : value)}
      trigger={
        <Button look="plain" title="Environment" data-testid="environment">
          {environment === undefined ? (
            <span className="truncate text-text max-sm:max-w-24">All environments</span>
          ) : (
            <MiddleTruncation name={environment} className="max-w-40 text-text max-sm:max-w-24" />
          )}
          <ChevronsUpDown size={13} aria-hidden />
        </Button>
      }
    />
  );
}
