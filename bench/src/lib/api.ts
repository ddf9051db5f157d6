/** How far windows are moved before they begin again: longer than an answer is kept for whoever asks the same. */
const MOVES = 600;

/**
 * Calls the platform's API as clients would; throws with status and body when it refuses. Who asks the same within a second
 * gets the answer of before, so the window of each question begins a second before that of the one before it.
 */
export class Api {
  readonly #base: string;
  #asked = 0;

  constructor(base: string) {
    this.#base = base;
  }

  async get(path: string): Promise<string> {
    const moves = this.#asked++ % MOVES;
    const moved = path.replace(/(?<=[?&]from=)[^&]+/, (from) => earlier(from, moves));
    return this.#answer('GET', moved, await fetch(this.#base + moved));
  }

  async post(path: string, body: object): Promise<string> {
    const moves = this.#asked++ % MOVES;
    const moved =
      'from' in body && typeof body.from === 'string' ? { ...body, from: earlier(body.from, moves) } : body;
    const response = await fetch(this.#base + path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(moved),
    });
    return this.#answer('POST', path, response);
  }

  async #answer(method: string, path: string, response: Response): Promise<string> {
    const text = await response.text();
    if (!response.ok) throw new Error(`${method} ${path} answered ${response.status}: ${text.slice(0, 500)}`);
    return text;
  }
}

/** A begin so many seconds earlier, of one relative to now in whole hours (`-24h`) or an ISO time. */
function earlier(from: string, seconds: number): string {
  const hours = /^-(\d+)h$/.exec(from)?.[1];
  if (hours !== undefined) return `-${Number(hours) * 3_600 + seconds}s`;
  return new Date(Date.parse(from) - seconds * 1_000).toISOString();
}
