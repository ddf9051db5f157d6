/** A version as people tell it apart: what the application calls it, if it does, and the beginning of its fingerprint. */
export function versionLabel({
  version,
  name,
}: {
  readonly version: string;
  readonly name: string | null;
}): string {
  const short = version.slice(0, 8);
  return name === null ? short : `${name} (${short})`;
}
