import type { MetadataStore } from '@candela/metadata-store';

/** A repository without what its addresses differ in: scheme, user, `.git`. */
const bareOf = (repository: string): string =>
  repository
    .replace(/^(?:https?|ssh|git):\/\//, '')
    .replace(/^(?:[^@/]+@)([^:/]+)[:/]/, '$1/')
    .replace(/\/+$/, '')
    .replace(/\.git$/, '');

/** What targets of scanners call a repository: its address with and without `.git`. */
export function targetsOf(repository: string): string[] {
  const bare = bareOf(repository);
  return [`https://${bare}`, `https://${bare}.git`];
}

/**
 * Open findings by repository, as these are written; those that no scanner has looked at are left out.
 * Without an environment: of all of the project.
 */
export async function openFindingsIn(
  metadata: MetadataStore,
  scope: { readonly projectId: string; readonly environment: string | undefined },
  repositories: readonly string[],
): Promise<ReadonlyMap<string, number>> {
  const asked = [...new Set(repositories)];
  if (asked.length === 0) return new Map();
  const counts = await metadata.scanners.openByTarget(scope, asked.flatMap(targetsOf));
  return new Map(
    asked.flatMap((repository) => {
      const known = targetsOf(repository).flatMap((target) => counts.get(target) ?? []);
      return known.length === 0 ? [] : [[repository, known.reduce((sum, one) => sum + one, 0)] as const];
    }),
  );
}
