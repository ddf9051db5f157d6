import type { Scope } from '@candela/kernel';
import type { Browser } from '../../identity/testing/browser.ts';

/** Makes an API key; the project is that of the headers. */
export async function makeKey(
  owner: Browser,
  scopes: readonly Scope[],
  headers: Readonly<Record<string, string>> = {},
): Promise<string> {
  const made = await owner.call('POST', '/api/api-key', { name: 'an application', scopes }, headers);
  if (made.status !== 201) throw new Error(made.text);
  return String(made.data.apiKey);
}

export interface Told {
  readonly status: number;
  readonly code: string | null;
  readonly text: string;
  /** The answer as it is: nothing around it. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of many shapes
  readonly body: any;
}

/** A call as applications make it: a key, no cookies, whatever content type. */
export async function callWith(
  base: string,
  key: string | undefined,
  call: {
    readonly method?: string;
    readonly path: string;
    readonly body?: object | string;
    readonly headers?: Readonly<Record<string, string>>;
  },
): Promise<Told> {
  const { body } = call;
  const response = await fetch(`${base}${call.path}`, {
    method: call.method ?? 'POST',
    headers: {
      ...(key === undefined ? {} : { authorization: `Bearer ${key}` }),
      'content-type': 'text/plain;charset=UTF-8',
      ...call.headers,
    },
    ...(body === undefined ? {} : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
  });
  const text = await response.text();
  return {
    status: response.status,
    code: response.headers.get('x-platform-error-code'),
    text,
    body: text.startsWith('{') ? JSON.parse(text) : undefined,
  };
}
