/** A published version: `major.minor.patch`, ordered as numbers. */
export interface PromptVersion {
  readonly major: number;
  readonly minor: number;
  readonly patch: number;
}

export const BUMPS = ['major', 'minor', 'patch'] as const;
export type Bump = (typeof BUMPS)[number];

const NUMBER = '(0|[1-9][0-9]{0,8})';
const EXACT = new RegExp(`^${NUMBER}\\.${NUMBER}\\.${NUMBER}$`);
const RANGE = new RegExp(`^${NUMBER}(?:\\.${NUMBER})?\\.[xX*]$`);
/** Labels begin with a letter, so that none looks like a version. */
export const LABEL = /^[a-z][a-z0-9_.-]{0,49}$/;

export const formatVersion = ({ major, minor, patch }: PromptVersion): string => `${major}.${minor}.${patch}`;

/** The version that a text is exactly, or undefined. */
export function parseVersion(text: string): PromptVersion | undefined {
  const [, major, minor, patch] = EXACT.exec(text) ?? [];
  return major === undefined || minor === undefined || patch === undefined
    ? undefined
    : { major: Number(major), minor: Number(minor), patch: Number(patch) };
}

/** Negative when `a` comes before `b`; 9.0.0 comes before 10.0.0. */
export function compareVersions(a: PromptVersion, b: PromptVersion): number {
  return a.major - b.major || a.minor - b.minor || a.patch - b.patch;
}

/** The version that follows the newest one; a first one follows 0.0.0. */
export function nextVersion(newest: PromptVersion | undefined, bump: Bump): PromptVersion {
  const { major, minor, patch } = newest ?? { major: 0, minor: 0, patch: 0 };
  if (bump === 'major') return { major: major + 1, minor: 0, patch: 0 };
  return bump === 'minor' ? { major, minor: minor + 1, patch: 0 } : { major, minor, patch: patch + 1 };
}

/** What a caller may mean by "version". */
export type VersionSelector =
  | { readonly kind: 'latest' }
  | { readonly kind: 'exact'; readonly version: PromptVersion }
  /** `1.x`, `1.2.x`: the newest of them. */
  | { readonly kind: 'range'; readonly major: number; readonly minor: number | undefined }
  | { readonly kind: 'label'; readonly label: string };

/** Reads what a caller wrote; undefined when it is nothing of that. Nothing, or an empty text, is the latest. */
export function parseSelector(text: string | null | undefined): VersionSelector | undefined {
  const wanted = text?.trim() ?? '';
  if (wanted === '' || wanted === 'latest') return { kind: 'latest' };
  const version = parseVersion(wanted);
  if (version !== undefined) return { kind: 'exact', version };
  const [, major, minor] = RANGE.exec(wanted) ?? [];
  if (major !== undefined) {
    return { kind: 'range', major: Number(major), minor: minor === undefined ? undefined : Number(minor) };
  }
  return LABEL.test(wanted) ? { kind: 'label', label: wanted } : undefined;
}
