import { useShell } from '../shell/shell-search.ts';
import { useWhoAsks } from './use-person.ts';

interface ReachedProject {
  readonly id: string;
  readonly name: string;
  readonly environments: readonly string[];
}

/** The project of the address, else the only one there is; undefined when one reaches none of that name. */
export function useProject(): ReachedProject | undefined {
  const { project } = useShell();
  const { status } = useWhoAsks();
  const reached = status?.person?.projects ?? status?.anonymous?.projects ?? [];
  return project === undefined ? reached[0] : reached.find((each) => each.id === project);
}
