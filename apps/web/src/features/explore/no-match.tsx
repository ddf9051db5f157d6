import { SearchX } from 'lucide-react';
import type { Scope } from '../../api/telemetry.ts';
import { Button } from '../../ui/button.tsx';
import { Notice } from '../../ui/states.tsx';
import { useShell } from '../shell/shell-search.ts';
import { toRows } from './rows-state.tsx';

/** Instead of rows: what to change when none fits. */
export default function NoMatch({
  scope,
  noun,
  onClear,
}: {
  scope: Scope;
  noun: string;
  onClear: () => void;
}) {
  const { setRange, range } = useShell();
  return (
    <Notice icon={<SearchX className="text-muted" aria-hidden />} title="Nothing matches">
      <p>
        {scope.q === ''
          ? 'Nothing was received in this time range.'
          : `None of the ${noun} in this time range fits the search.`}
      </p>
      <div className="flex gap-2">
        {scope.q !== '' && (
          <Button
            onClick={(event) => {
              toRows(event.currentTarget);
              onClear();
            }}
          >
            Clear the search
          </Button>
        )}
        {range.from !== '-30d' && (
          <Button
            onClick={(event) => {
              toRows(event.currentTarget);
              setRange({ from: '-30d', to: 'now' });
            }}
          >
            Look at the last 30 days
          </Button>
        )}
      </div>
    </Notice>
  );
}
