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
  readonly device: CookieKind;
} {
  const secure = publicUrl !== undefined && new URL(publicUrl).protocol === 'https:';
  const kind = (name: string): CookieKind => ({ name: secure ? `__Host-${name}` : name, secure, path: '/' });
  return {
    session: kind('candela_session'),
    attempt: kind('candela_sign_in'),
    device: kind('candela_device'),
  };
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

/** Values of one name that are looked at: others may add cookies, and each is looked up. */
const MAX_VALUES = 4;

/** Well-formed tokens of one name in a `Cookie` header, each once. */
export function readCookies(kind: CookieKind, header: string | undefined, form = TOKEN): string[] {
  if (header === undefined || header.length > MAX_HEADER) return [];
  const found = header
    .split(/[;,]/)
    .map((part) => part.trim())
    .filter((part) => part.startsWith(`${kind.name}=`))
    .map((part) => part.slice(kind.name.length + 1))
    .filter((value) => form.test(value));
  return [...new Set(found)].slice(0, MAX_VALUES);
}

/** The token in a `Cookie` header; undefined when absent, malformed or there twice. */
export function readCookie(kind: CookieKind, header: string | undefined, form = TOKEN): string | undefined {
  const found = readCookies(kind, header, form);
  return found.length === 1 ? found[0] : undefined;
}
