import type { BoardFolder } from '@candela/contract';

/** A folder with those in it. */
export interface FolderNode {
  readonly folder: BoardFolder;
  readonly children: readonly FolderNode[];
}

const byName = (a: BoardFolder, b: BoardFolder) => a.name.localeCompare(b.name);

/** Folders as a tree, by name. One whose parent is not there stands at the top. */
export function folderTree(folders: readonly BoardFolder[]): FolderNode[] {
  const known = new Set(folders.map(({ id }) => id));
  const within = Map.groupBy(folders, ({ parentId }) =>
    parentId !== null && known.has(parentId) ? parentId : '',
  );
  const nodes = (parent: string, above: ReadonlySet<string>): FolderNode[] =>
    (within.get(parent) ?? [])
      .filter(({ id }) => !above.has(id))
      .toSorted(byName)
      .map((folder) => ({ folder, children: nodes(folder.id, new Set([...above, folder.id])) }));
  return nodes('', new Set());
}

/** Folders to choose from, each with those above it: `Production / Models`. `without`: neither it nor those in it. */
export function folderChoices(
  folders: readonly BoardFolder[],
  without?: string,
): { readonly value: string; readonly label: string }[] {
  const walk = (nodes: readonly FolderNode[], above: string): { value: string; label: string }[] =>
    nodes.flatMap(({ folder, children }) => {
      if (folder.id === without) return [];
      const label = above === '' ? folder.name : `${above} / ${folder.name}`;
      return [{ value: folder.id, label }, ...walk(children, label)];
    });
  return walk(folderTree(folders), '');
}
