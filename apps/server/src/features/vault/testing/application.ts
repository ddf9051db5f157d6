/** What an application is told by get-secrets. */
export interface Told {
  readonly status: number;
  readonly err: string | null;
  readonly res: Record<string, string>;
  readonly code: string | null;
  readonly headers: Headers;
}

/** Asks as shipped SDKs do: JSON under `text/plain`. */
export async function askForSecrets(
  base: string,
  apiKey: string | undefined,
  body: object | string,
  headers: Readonly<Record<string, string>> = {},
): Promise<Told> {
  const response = await fetch(`${base}/api/vault/get-secrets`, {
    method: 'POST',
    headers: {
      'content-type': 'text/plain;charset=UTF-8',
      ...(apiKey === undefined ? {} : { authorization: `Bearer ${apiKey}` }),
      ...headers,
    },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  });
  const told = (await response.json()) as { err: string | null; res: Record<string, string> };
  const code = response.headers.get('x-platform-error-code');
  return { ...told, status: response.status, code, headers: response.headers };
}
