/** One reading of the platform's `/metrics`: sum over the series of a name, optionally with some labels. */
export class Scrape {
  readonly #lines: readonly string[];

  constructor(text: string) {
    this.#lines = text.split('\n').filter((line) => line !== '' && !line.startsWith('#'));
  }

  static async of(base: string): Promise<Scrape> {
    const response = await fetch(`${base}/metrics`);
    if (!response.ok) throw new Error(`GET /metrics answered ${response.status}`);
    return new Scrape(await response.text());
  }

  sum(name: string, labels: Readonly<Record<string, string>> = {}): number {
    let sum = 0;
    for (const line of this.#lines) {
      if (!line.startsWith(`${name}{`) && !line.startsWith(`${name} `)) continue;
      if (!Object.entries(labels).every(([key, value]) => line.includes(`${key}="${value}"`))) continue;
      sum += Number(line.slice(line.lastIndexOf(' ') + 1));
    }
    return sum;
  }
}
