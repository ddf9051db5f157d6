/** Ids that stand in a path as they are; anything else (slashes, blanks, other scripts) would be ambiguous there. */
const PLAIN = /^[A-Za-z0-9][A-Za-z0-9._:@-]{0,199}$/;
const MARK = '~';

/**
 * An id that senders chose (a session, a user, an agent) as one segment of a path: as it is when it is plain, else `~`
 * and the base64url of its UTF-8.
 */
export function entityKey(id: string): string {
  if (PLAIN.test(id)) return id;
  const bytes = new TextEncoder().encode(id);
  let binary = '';
  for (const byte of bytes) binary += String.fromCharCode(byte);
  return MARK + btoa(binary).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/** The id that a key stands for; undefined when it is damaged. Ids that are not plain are taken as they are too. */
export function parseEntityKey(key: string): string | undefined {
  if (!key.startsWith(MARK)) return key === '' ? undefined : key;
  try {
    const binary = atob(key.slice(1).replaceAll('-', '+').replaceAll('_', '/'));
    const bytes = Uint8Array.from(binary, (character) => character.charCodeAt(0));
    const id = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
    return id === '' ? undefined : id;
  } catch {
    return undefined;
  }
}
