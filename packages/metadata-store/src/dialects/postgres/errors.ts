/** What PostgreSQL's error codes, and those of the network below it, mean here. */

const UNIQUE_VIOLATION = '23505';
/** A NUL character, or another text that is no UTF-8. */
const BAD_TEXT = new Set(['22021', '22P05']);
/** A number out of the range of its column, or text that is no number of its type: `1.5` among whole ones. */
const BAD_NUMBER = new Set(['22003', '22P02']);
/** Too slow (statement, lock), a deadlock, a server that may only be read: a standby after a failover. */
const UNAVAILABLE = new Set(['57014', '55P03', '40P01', '40001', '25006', '25P03']);
/** Connection, resources (memory, disk, connections), shutdown, failures of the system. */
const UNAVAILABLE_CLASSES = new Set(['08', '53', '57', '58']);
const NETWORK = new Set([
  'ECONNREFUSED',
  'ECONNRESET',
  'EPIPE',
  'ETIMEDOUT',
  'EHOSTUNREACH',
  'ENETUNREACH',
  'ENOTFOUND',
  'EAI_AGAIN',
  'ENOENT',
]);
/** The driver has no codes for what it notices itself. */
const DRIVER =
  /^(Connection terminated|timeout exceeded when trying to connect|Query read timeout|Client has encountered a connection error|Client was closed)/;

export const isUniqueViolation = (thrown: unknown): boolean => codeOf(thrown) === UNIQUE_VIOLATION;
export const isBadNumber = (thrown: unknown): boolean => BAD_NUMBER.has(codeOf(thrown) ?? '');
export const isBadText = (thrown: unknown): boolean => BAD_TEXT.has(codeOf(thrown) ?? '');

/** `disk_full`. */
export const isFull = (thrown: unknown): boolean => codeOf(thrown) === '53100';

export function isUnavailable(thrown: unknown): boolean {
  const code = codeOf(thrown);
  if (code === undefined) return thrown instanceof Error && DRIVER.test(thrown.message);
  return UNAVAILABLE.has(code) || UNAVAILABLE_CLASSES.has(code.slice(0, 2)) || NETWORK.has(code);
}

/** What a failure to connect or to migrate means to a person; `where` names the server without its password. */
export function explain(thrown: unknown, where: string): string | undefined {
  const code = codeOf(thrown) ?? '';
  const check = 'Check PLATFORM_DATABASE_URL';
  if (code === '28P01' || code === '28000') {
    return `PostgreSQL at ${where} refused the user or password. ${check}, and the server's pg_hba.conf.`;
  }
  if (code === '3D000') {
    return `PostgreSQL at ${where} has no such database. Create it (create database … encoding 'UTF8'), or ${check.toLowerCase()}.`;
  }
  if (code === '42501') {
    return `The user of PostgreSQL at ${where} may not create tables there. Make it the owner of the database, or grant it create on the schema public.`;
  }
  if (code === '57P03') return `PostgreSQL at ${where} is still starting. Start again in a moment.`;
  if (code === '25006') {
    return `PostgreSQL at ${where} may only be read: it is a standby. Name the primary in PLATFORM_DATABASE_URL.`;
  }
  if (code === '53300') {
    return `PostgreSQL at ${where} has no connection left. Raise its max_connections, or close other clients.`;
  }
  if (/certificate|self-signed|SSL|TLS/i.test(thrown instanceof Error ? thrown.message : '')) {
    return `No encrypted connection to PostgreSQL at ${where}: ${(thrown as Error).message}. ${check}: its sslmode and sslrootcert.`;
  }
  if (isUnavailable(thrown)) {
    return `PostgreSQL at ${where} cannot be reached (${code === '' ? 'no answer' : code}). ${check}, and that the server runs and lets this machine in.`;
  }
  return undefined;
}

function codeOf(thrown: unknown): string | undefined {
  if (!(thrown instanceof Error) || !('code' in thrown)) return undefined;
  return typeof thrown.code === 'string' ? thrown.code : undefined;
}
