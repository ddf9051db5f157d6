const DATE = /-(?:\d{4}-\d{2}-\d{2}|20\d{6})$/;
const undated = (model: string): string => model.replace(DATE, '');

/**
 * Names for narrow places, each model once: the date of a release goes, unless only the date tells two releases apart.
 * The full names belong into the title.
 */
export function shortModels(models: readonly string[]): string[] {
  const groups = Map.groupBy(new Set(models), undated);
  return [...groups].flatMap(([name, members]) =>
    members.length === 1 || members.includes(name) ? [name] : members,
  );
}
