export interface Event {
  readonly event: string;
  readonly id: string | undefined;
  readonly data: unknown;
}

/** A live view: what came so far, and a way to wait for more and to leave. */
export class View {
  readonly events: Event[] = [];
  readonly response: Response;
  readonly ended: Promise<'end' | 'cut'>;
  readonly #leave: AbortController;

  constructor(response: Response, leave: AbortController) {
    this.response = response;
    this.#leave = leave;
    this.ended = this.#read();
  }

  async #read(): Promise<'end' | 'cut'> {
    let text = '';
    try {
      const chunks = (this.response.body ?? new ReadableStream()).pipeThrough(new TextDecoderStream());
      for await (const chunk of chunks) {
        text += chunk;
        const blocks = text.split('\n\n');
        text = blocks.pop() ?? '';
        for (const block of blocks) this.#take(block);
      }
      return 'end';
    } catch {
      return 'cut';
    }
  }

  #take(block: string): void {
    const field = (name: string) =>
      block
        .split('\n')
        .find((line) => line.startsWith(`${name}: `))
        ?.slice(name.length + 2);
    const event = field('event');
    if (event !== undefined) {
      this.events.push({ event, id: field('id'), data: JSON.parse(field('data') ?? 'null') });
    }
  }

  get spanIds(): string[] {
    return this.events
      .filter(({ event }) => event === 'rows')
      .flatMap(({ data }) => (data as { spanId: string }[]).map(({ spanId }) => spanId));
  }

  get skipped(): number {
    return this.events
      .filter(({ event }) => event === 'skipped')
      .reduce((sum, { data }) => sum + (data as { count: number }).count, 0);
  }

  async until(done: (view: View) => boolean, ms = 15_000): Promise<void> {
    const end = Date.now() + ms;
    while (!done(this)) {
      if (Date.now() > end) throw new Error(`nothing came: ${JSON.stringify(this.events).slice(0, 500)}`);
      await new Promise((resolve) => setTimeout(resolve, 30));
    }
  }

  leave(): void {
    this.#leave.abort();
  }
}

/** Opens a live view of the platform at that address. */
export async function openView(
  base: string,
  query: string,
  headers: Record<string, string> = {},
): Promise<View> {
  const leave = new AbortController();
  const response = await fetch(`${base}/api/telemetry/tail?${query}`, { headers, signal: leave.signal });
  return new View(response, leave);
}
