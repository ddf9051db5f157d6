import { fail } from '@candela/kernel';
import type { VersionNumber } from '@candela/metadata-store';

/** Cursors say which list they belong to: its kind and what it was asked for. */
export const writeCursor = (list: readonly string[], at: readonly (string | number)[]): string =>
  Buffer.from(JSON.stringify([list, at])).toString('base64url');

const refuse = () =>
  fail('bad_query', { detail: 'The cursor does not belong to this list. Start again without one.' });

function readCursor(list: readonly string[], text: string): readonly unknown[] {
  let parts: unknown;
  try {
    parts = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'));
  } catch {
    throw refuse();
  }
  if (!Array.isArray(parts) || parts.length !== 2) throw refuse();
  const [of, at] = parts as unknown[];
  if (JSON.stringify(of) !== JSON.stringify(list) || !Array.isArray(at)) throw refuse();
  return at;
}

/** The name that a list goes on after. @throws bad_query */
export function nameAt(list: readonly string[], text: string | undefined): string | undefined {
  if (text === undefined) return undefined;
  const [name] = readCursor(list, text);
  if (typeof name !== 'string') throw refuse();
  return name;
}

/** The version that a list goes on after. @throws bad_query */
export function versionAt(list: readonly string[], text: string | undefined): VersionNumber | undefined {
  if (text === undefined) return undefined;
  const [major, minor, patch] = readCursor(list, text);
  if (!Number.isInteger(major) || !Number.isInteger(minor) || !Number.isInteger(patch)) throw refuse();
  return { major: Number(major), minor: Number(minor), patch: Number(patch) };
}
