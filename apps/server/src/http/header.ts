/** One header as the sender wrote it; repeated ones joined, so that they are noticed. @param name in lower case */
export function header(
  { rawHeaders }: { readonly rawHeaders: readonly string[] },
  name: string,
): string | undefined {
  let found: string | undefined;
  // Node's own tables of headers are made anew for every request, whole.
  for (let at = 0; at < rawHeaders.length; at += 2) {
    const key = rawHeaders[at] ?? '';
    if (key.length !== name.length || key.toLowerCase() !== name) continue;
    const value = rawHeaders[at + 1] ?? '';
    found = found === undefined ? value : `${found}, ${value}`;
  }
  return found;
}
