import { ChevronsUpDown } from 'lucide-react';
import { Button } from '../../ui/button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { ChoiceMenu } from '../../ui/menu.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from './shell-search.ts';

/** The project of everything on screen; a name alone where there is no other. */
export function ProjectSwitcher() {
  const { project, setProject } = useShell();
  const { status } = useWhoAsks();
  const reached = status?.person?.projects ?? status?.anonymous?.projects ?? [];
  const current =
    reached.find((each) => each.id === project) ?? (project === undefined ? reached[0] : undefined);
  const name = current?.name ?? project ?? 'Default';
  // One that is not theirs leaves the choice open, also when there is one to choose only.
  if (reached.length === 0 || (reached.length === 1 && current !== undefined))
    return <MiddleTruncation name={name} className="max-w-40 shrink-0 px-2 text-muted max-sm:sr-only" />;
  return (
    <ChoiceMenu
      label="Project"
      value={current?.id ?? ''}
      choices={reached.map((each) => ({ value: each.id, label: each.name }))}
      onChoose={(id) => {
        if (id !== current?.id) setProject(id);
      }}
      trigger={
        <Button look="plain" title="Project" data-testid="project">
          <MiddleTruncation name={name} className="max-w-40 text-text max-sm:max-w-20" />
          <ChevronsUpDown size={13} aria-hidden />
        </Button>
      }
    />
  );
}
