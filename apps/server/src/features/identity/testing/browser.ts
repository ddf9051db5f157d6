/** A browser as the platform sees one: keeps cookies, sends Origin and the headers of the page. */
export interface Browser {
  /** One call, of JSON or bytes; `headers` win over what a browser sends, undefined leaves one out. */
  call(
    method: string,
    path: string,
    body?: object,
    headers?: Readonly<Record<string, string | undefined>>,
  ): Promise<Answer>;
  readonly cookies: ReadonlyMap<string, string>;
}

export interface Answer {
  readonly status: number;
  readonly code: string | null;
  readonly headers: Headers;
  readonly text: string;
  /** What is in `data`. */
  // oxlint-disable-next-line typescript/no-explicit-any -- tests look into answers of many shapes
  readonly data: any;
}

export function openBrowser(base: string): Browser {
  const cookies = new Map<string, string>();
  return {
    cookies,
    async call(method, path, body, headers = {}) {
      const sent = new Headers();
      const own: Record<string, string | undefined> = {
        ...(method === 'GET' ? {} : { origin: base }),
        ...(cookies.size === 0
          ? {}
          : { cookie: [...cookies].map(([name, value]) => `${name}=${value}`).join('; ') }),
        'sec-fetch-site': 'same-origin',
        ...headers,
      };
      for (const [name, value] of Object.entries(own)) if (value !== undefined) sent.set(name, value);
      const response = await fetch(`${base}${path}`, {
        method,
        headers: sent,
        // Where it leads is for the test to see.
        redirect: 'manual',
        ...(body === undefined
          ? {}
          : { body: body instanceof Uint8Array ? Uint8Array.from(body) : JSON.stringify(body) }),
      });
      for (const line of response.headers.getSetCookie()) {
        const [pair = ''] = line.split(';', 1);
        const [name = '', value = ''] = pair.split(/=(.*)/s, 2);
        if (value === '') cookies.delete(name);
        else cookies.set(name, value);
      }
      const text = await response.text();
      return {
        status: response.status,
        code: response.headers.get('x-platform-error-code'),
        headers: response.headers,
        text,
        data: text.startsWith('{') ? (JSON.parse(text) as { data?: unknown }).data : undefined,
      };
    },
  };
}
