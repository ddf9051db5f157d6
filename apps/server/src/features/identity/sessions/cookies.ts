/** Name of a cookie and whether it may be sent over plain HTTP. */
export interface CookieKind {
  readonly name: string;
  readonly secure: boolean;
  readonly path: string;
}

/** With https the names carry `__Host-`: the browser then takes them from this host over https only. */
export function cookieKinds(publicUrl: string | undefined): {
  readonly session: CookieKind;
  readonly attempt: CookieKind;
} {
  const secure = publicUrl !== undefined && new URL(publicUrl).protocol === 'https:';
  const kind = (name: string): CookieKind => ({ name: secure ? `__Host-${name}` : name, secure, path: '/' });
  return { session: kind('candela_session'), attempt: kind('candela_sign_in') };
}

/** A `Set-Cookie` value; without a value the cookie is taken away. */
export function setCookie(kind: CookieKind, value: string | undefined, maxAgeSeconds: number): string {
  const age = value === undefined ? 0 : Math.max(0, Math.floor(maxAgeSeconds));
  const parts = [
    `${kind.name}=${value ?? ''}`,
    `Path=${kind.path}`,
    `Max-Age=${age}`,
    'HttpOnly',
    'SameSite=Lax',
  ];
  return [...parts, ...(kind.secure ? ['Secure'] : [])].join('; ');
}

const MAX_HEADER = 16_384;
const TOKEN = /^[A-Za-z0-9]{20,128}$/;

/** The token in a `Cookie` header; undefined when absent, malformed or there twice. */
export function readCookie(kind: CookieKind, header: string | undefined): string | undefined {
  if (header === undefined || header.length > MAX_HEADER) return undefined;
  const found = header
    .split(/[;,]/)
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${kind.name}=`))
    .map((part) => part.slice(kind.name.length + 1));
  const [only] = found;
  return found.length === 1 && only !== undefined && TOKEN.test(only) ? only : undefined;
}
