/** Calls the platform's API as a client would; throws with status and body when it refuses. */
export class Api {
  readonly #base: string;

  constructor(base: string) {
    this.#base = base;
  }

  async get(path: string): Promise<string> {
    return this.#answer('GET', path, await fetch(this.#base + path));
  }

  async post(path: string, body: object): Promise<string> {
    const response = await fetch(this.#base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
    });
    return this.#answer('POST', path, response);
  }

  async #answer(method: string, path: string, response: Response): Promise<string> {
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return text;
  }
}
