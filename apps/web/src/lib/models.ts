const DATE = /-(?:\d{4}-\d{2}-\d{2}|20\d{6})$/;
const undated = (model: string): string => model.replace(DATE, '');

/** Whether a text names the model, with or without the date of its release: `chat gpt-4o` names `gpt-4o-2024-08-06`. */
export const namesModel = (text: string, model: string): boolean =>
  text.includes(model) || text.split(' ').includes(undated(model));

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

/**
 * Series a model, by names that a legend has room for: the date goes where the rest tells apart all models that the page
 * names, of which these may be some. One name is one model wherever it stands on a page.
 */
export function withModelNames<Series extends { readonly label: string }>(
  all: readonly Series[],
  onPage: readonly string[] = [],
): (Series & { readonly title?: string })[] {
  const groups = Map.groupBy(new Set([...all.map(({ label }) => label), ...onPage]), undated);
  return all.map((one) => {
    const label = undated(one.label);
    return label !== one.label && groups.get(label)?.length === 1 ? { ...one, label, title: one.label } : one;
  });
}
