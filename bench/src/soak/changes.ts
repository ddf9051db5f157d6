import { randomUUID } from 'node:crypto';

/** A kind of thing that people make: where it is made, read again by its id, and listed. */
interface Kind {
  readonly path: string;
  /** What makes one of that name. */
  readonly body: (name: string) => object;
  /** A repeated call with the same `Idempotency-Key` is one call. */
  readonly repeatable?: boolean;
}

const KINDS: readonly Kind[] = [
  {
    path: '/api/telemetry/views',
    body: (name) => ({ page: 'traces', name, description: null, search: '' }),
    repeatable: true,
  },
  { path: '/api/vault', body: (name) => ({ key: name, value: name }), repeatable: true },
  { path: '/api/prompt', body: (name) => ({ name, prompt: 'Say {{what}}.', publish: 'minor' }) },
  {
    path: '/api/rule-engine/rules',
    body: (name) => ({
      name,
      groups: [{ conditions: [{ field: 'model', operator: 'equals', value: name }] }],
      links: [],
    }),
  },
  { path: '/api/context', body: (name) => ({ name, content: 'be kind' }) },
  { path: '/api/boards', body: (name) => ({ title: name }) },
  { path: '/api/alerts', body: (name) => ({ name, source: { kind: 'ingest_stopped', perService: false } }) },
  { path: '/api/evaluation/datasets', body: (name) => ({ name }) },
];

const PAUSE_MS = 50;
const TIMEOUT_MS = 10_000;
/** Too many at once or not now: the same call may be made again. */
const LATER = new Set([0, 429, 502, 503]);

interface Answer {
  readonly status: number;
  readonly text: string;
}

interface Made {
  readonly kind: Kind;
  readonly id: string;
  readonly name: string;
  deleted: 'no' | 'perhaps' | 'yes';
}

export interface ChangesReport {
  readonly made: number;
  readonly deleted: number;
  /** Acknowledged, but not there; or deleted, but there. */
  readonly wrong: readonly string[];
}

export interface Changes {
  stop(): Promise<void>;
  /** Reads everything again that was acknowledged. */
  check(base: string): Promise<ChangesReport>;
}

/** Somebody who makes things of every kind, one after another, deletes every second one, and remembers what was answered. */
export function startChanges(endpoint: () => string | undefined, key: string): Changes {
  const call = callerWith(key);
  const made: Made[] = [];
  const refused: string[] = [];
  const state = { stopped: false };

  /** Until it is answered: only a call that may be repeated is. Undefined where it is not known whether it was done. */
  async function change(method: string, path: string, repeatable: boolean, body?: object) {
    const key = randomUUID();
    while (!state.stopped) {
      const base = endpoint();
      if (base !== undefined) {
        const answer = await call(base, method, path, body, repeatable ? key : undefined);
        if (!LATER.has(answer.status)) return answer;
        if (!repeatable && answer.status === 0) return undefined;
      }
      await pause(PAUSE_MS * 2);
    }
    return undefined;
  }

  /** Again where it was too much at once. */
  async function read(base: string, path: string): Promise<Answer> {
    for (;;) {
      const answer = await call(base, 'GET', path);
      if (!LATER.has(answer.status)) return answer;
      await pause(PAUSE_MS * 10);
    }
  }

  async function work(): Promise<void> {
    for (let turn = 0; !state.stopped; turn += 1) {
      const kind = KINDS[turn % KINDS.length] as Kind;
      const name = `s${randomUUID().replaceAll('-', '')}`;
      const answer = await change('POST', kind.path, kind.repeatable === true, kind.body(name));
      if (answer !== undefined && answer.status !== 201)
        refused.push(`POST ${kind.path} ${answer.status}: ${answer.text.slice(0, 200)}`);
      if (answer?.status === 201) {
        const { data } = JSON.parse(answer.text) as { data: { id: string } };
        const thing: Made = { kind, id: data.id, name, deleted: 'no' };
        made.push(thing);
        if (Math.floor(turn / KINDS.length) % 2 === 1) {
          const gone = await change('DELETE', `${kind.path}/${data.id}`, false);
          thing.deleted = gone === undefined ? 'perhaps' : 'yes';
          if (gone !== undefined && gone.status >= 300)
            refused.push(`DELETE ${kind.path} ${gone.status}: ${gone.text.slice(0, 200)}`);
        }
      }
      await pause(PAUSE_MS);
    }
  }

  const worker = work();
  return {
    async stop() {
      state.stopped = true;
      await worker;
    },
    async check(base) {
      const wrong = [...refused];
      for (const { kind, id, name, deleted } of made) {
        const { status, text } = await read(base, `${kind.path}/${id}`);
        // Keys of secrets are kept in capitals.
        const there = status === 200 && text.toLowerCase().includes(name);
        if ((deleted === 'yes' && status !== 404) || (deleted === 'no' && !there))
          wrong.push(`${kind.path}/${id} (${name}), deleted: ${deleted}, answers ${status}`);
      }
      return { made: made.length, deleted: made.filter((thing) => thing.deleted === 'yes').length, wrong };
    },
  };
}

type Call = (
  base: string,
  method: string,
  path: string,
  body?: object,
  idempotencyKey?: string,
) => Promise<Answer>;

const callerWith =
  (key: string): Call =>
  async (base, method, path, body, idempotencyKey) => {
    try {
      const response = await fetch(base + path, {
        method,
        headers: {
          authorization: `Bearer ${key}`,
          'content-type': 'application/json',
          ...(idempotencyKey !== undefined && { 'idempotency-key': idempotencyKey }),
        },
        ...(body !== undefined && { body: JSON.stringify(body) }),
        signal: AbortSignal.timeout(TIMEOUT_MS),
      });
      return { status: response.status, text: await response.text() };
    } catch {
      return { status: 0, text: '' };
    }
  };

function pause(ms: number): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve, ms));
}
