import type { Browser } from '../../identity/testing/browser.ts';

/** What an application gets of a fetch. */
export interface Fetched {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly err: string | null;
  readonly res: Readonly<Record<string, unknown>> | null;
}

/** Fetches as an application does: with a key, JSON under whatever content type. */
export interface Application {
  readonly key: string;
  compiled(
    body: object | string | Uint8Array<ArrayBuffer>,
    more?: Readonly<Record<string, string | undefined>>,
    path?: string,
  ): Promise<Fetched>;
}

/** An application with a key of its own at that address. */
export async function openApplication(http: string, owner: Browser): Promise<Application> {
  const made = await owner.call('POST', '/api/api-key', { name: 'an application', scopes: ['prompts'] });
  return applicationWith(http, String(made.data.apiKey));
}

/** The same with a key that there is. */
export function applicationWith(http: string, key: string): Application {
  return {
    key,
    async compiled(body, more = {}, path = '/api/prompt/get-compiled') {
      const headers = new Headers();
      const own = { authorization: `Bearer ${key}`, 'content-type': 'text/plain;charset=UTF-8', ...more };
      for (const [name, value] of Object.entries(own)) if (value !== undefined) headers.set(name, value);
      const raw = typeof body === 'string' || body instanceof Uint8Array;
      const response = await fetch(`${http}${path}`, {
        method: 'POST',
        headers,
        body: raw ? body : JSON.stringify(body),
      });
      const text = await response.text();
      const told =
        text === '' ? { err: null, res: null } : (JSON.parse(text) as Pick<Fetched, 'err' | 'res'>);
      return { status: response.status, headers: response.headers, text, ...told };
    },
  };
}

let names = 0;

/** A prompt with published versions, one for each bump; what a version says is told by its number. */
export async function publish(
  owner: Browser,
  ...bumps: readonly ('major' | 'minor' | 'patch')[]
): Promise<{ readonly id: string; readonly name: string }> {
  const name = `prompt-${++names}`;
  const [first = 'major', ...more] = bumps;
  const made = await owner.call('POST', '/api/prompt', { name, prompt: 'for {{who}}', publish: first });
  if (made.status !== 201) throw new Error(made.text);
  const id = String(made.data.id);
  for (const bump of more) await publishNext(owner, id, bump);
  return { id, name };
}

/** Publishes one more version. */
export async function publishNext(
  owner: Browser,
  id: string,
  bump: 'major' | 'minor' | 'patch',
  prompt = `for {{who}} after a ${bump} change`,
): Promise<void> {
  for (const answer of [
    await owner.call('PUT', `/api/prompt/${id}/draft`, { prompt }),
    await owner.call('POST', `/api/prompt/${id}/publish`, { bump }),
  ]) {
    if (answer.status !== 200) throw new Error(answer.text);
  }
}
