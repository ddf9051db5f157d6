/**
 * Whether a repository is on a list.
 * @param url as `https://host/owner/name`
 * @param list entries are `host/owner` or `host/owner/name`, whole segments, `*` for one
 */
export function isListedRepository(url: string, list: readonly string[]): boolean {
  const segments = url
    .replace(/^https:\/\//, '')
    .toLowerCase()
    .split('/');
  return list.some((entry) => {
    const wanted = entry
      .replace(/^https?:\/\//, '')
      .replace(/\/+$/, '')
      .toLowerCase()
      .split('/');
    return (
      wanted.length <= segments.length && wanted.every((part, n) => part === '*' || part === segments[n])
    );
  });
}
