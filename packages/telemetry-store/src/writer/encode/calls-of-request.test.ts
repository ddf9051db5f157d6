import { setImmediate as turn } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { CallsOfRequest } from './calls-of-request.ts';
import { createModelCallRegistry, MARKS, ModelCallRegistry, tenantHash } from './model-calls.ts';

const TENANT = tenantHash('default');
const MOST = 24;

/** Spans of one trace as bytes: the trace id, then ids of eight bytes. */
const view = new DataView(
  Uint8Array.from({ length: 16 + 8 * MOST }, (_, at) => (at * 37 + (at >> 3) * 101) & 0xff).buffer,
);
const at = (span: number): number => 16 + span * 8;

interface Told {
  readonly id: number;
  readonly parent?: number | undefined;
  /** Input tokens of a model call. Undefined: a plain span. */
  readonly tokens?: number | undefined;
  readonly operation?: string;
}
const chat = (id: number, parent?: number, tokens = 100): Told => ({ id, parent, tokens });
const plain = (id: number, parent?: number): Told => ({ id, parent });

const fresh = () => new ModelCallRegistry(createModelCallRegistry());

/** What each call of a request counts, by span. */
function request(
  registry: ModelCallRegistry,
  spans: readonly Told[],
  tenant = TENANT,
): Record<number, boolean> {
  const calls = new CallsOfRequest(registry);
  calls.begin(tenant);
  for (const { id, parent, tokens, operation = 'chat' } of spans) {
    const parentAt = parent === undefined ? -1 : at(parent);
    if (tokens === undefined) calls.addPlain(0, at(id), parentAt);
    else {
      const usage = { input: tokens, cacheRead: 0, cacheWrite: 0, output: tokens / 10, reasoning: 0 };
      calls.addCall(id, 0, at(id), parentAt, { operation, usage });
    }
  }
  const counted: Record<number, boolean> = {};
  calls.settle(view, (row, counts) => {
    counted[row] = counts === 1;
  });
  return counted;
}

/** Calls and tokens that are counted of spans that come in several requests. */
function sent(requests: readonly (readonly Told[])[], registry = fresh()): [calls: number, tokens: number] {
  const counted = Object.assign({}, ...requests.map((spans) => request(registry, spans)));
  const counting = requests.flat().filter(({ id, tokens }) => tokens !== undefined && counted[id] === true);
  return [counting.length, counting.reduce((sum, { tokens = 0 }) => sum + tokens, 0)];
}

describe('a model call below a model call', () => {
  it.each<[string, readonly (readonly Told[])[]]>([
    ['together, the parent first', [[chat(0), chat(1, 0)]]],
    ['together, the child first', [[chat(1, 0), chat(0)]]],
    ['the child in an earlier request', [[chat(1, 0)], [chat(0)]]],
    ['the parent in an earlier request', [[chat(0)], [chat(1, 0)]]],
    ['three together', [[chat(2, 1), chat(0), chat(1, 0)]]],
    ['three, the deepest first', [[chat(2, 1)], [chat(1, 0)], [chat(0)]]],
    ['three, the highest first', [[chat(0)], [chat(1, 0)], [chat(2, 1)]]],
    ['three, the middle one after its child in a later request', [[chat(0)], [chat(2, 1), chat(1, 0)]]],
    ['three, the middle one first', [[chat(1, 0)], [chat(0)], [chat(2, 1)]]],
  ])('counts once: %s', (_name, requests) => {
    expect(sent(requests)).toEqual([1, 100]);
  });

  it('counts twice where the middle one of three comes last, as the documentation says', () => {
    expect(sent([[chat(0)], [chat(2, 1)], [chat(1, 0)]])).toEqual([2, 200]);
  });

  it('leaves the usage with all children, or with the parent that came before all of them', () => {
    const registry = fresh();
    expect(request(registry, [chat(0)])).toEqual({ 0: true });
    expect(request(registry, [chat(1, 0), chat(2, 0)])).toEqual({ 1: false, 2: false });
    expect(request(registry, [chat(4, 3)])).toEqual({ 4: true });
    expect(request(registry, [chat(3)])).toEqual({ 3: false });
    expect(request(registry, [chat(5, 3)])).toEqual({ 5: true });
  });

  it('stays decided when a request is sent again, whatever came in between', () => {
    const registry = fresh();
    const first = request(registry, [chat(0)]);
    const child = request(registry, [chat(1, 0)]);
    expect(request(registry, [chat(0)])).toEqual(first);
    expect(request(registry, [chat(1, 0)])).toEqual(child);
  });

  it('of another project is another call', () => {
    const registry = fresh();
    request(registry, [chat(0)]);
    expect(request(registry, [chat(1, 0)], tenantHash('other'))).toEqual({ 1: true });
  });

  it('has marks that nobody makes by other numbers: each is a word of its own', () => {
    const numbers = fc.oneof(
      fc.constantFrom(0, 1, 0x3c6ef372, 0x510e527f, 0x5be0cd19, TENANT),
      fc.integer({ min: -(2 ** 31), max: 2 ** 31 - 1 }),
    );
    fc.assert(
      fc.property(numbers, numbers, (tenant, about) => {
        const registry = fresh();
        registry.add(view, 0, at(0), tenant, MARKS.counted, about);
        expect(registry.has(view, 0, at(0), tenant, MARKS.counted, about)).toBe(true);
        for (const mark of Object.values(MARKS)) {
          for (const other of [about, mark, tenant, about ^ mark ^ MARKS.counted, tenant ^ mark]) {
            const by = tenant ^ about ^ other ^ mark ^ MARKS.counted;
            const isSame = by === tenant && other === about && mark === MARKS.counted;
            expect(registry.has(view, 0, at(0), by, mark, other)).toBe(isSame);
          }
        }
      }),
    );
  });

  it('of a project that is that far away as two marks are is another call, too', () => {
    for (const one of Object.values(MARKS)) {
      for (const other of Object.values(MARKS)) {
        const registry = fresh();
        request(registry, [chat(0)]);
        request(registry, [chat(2, 0)]);
        const tenant = TENANT ^ one ^ other;
        if (tenant !== TENANT) expect(request(registry, [chat(1, 0)], tenant)).toEqual({ 1: true });
      }
    }
  });

  it('without model calls around it counts', () => {
    expect(request(fresh(), [chat(0, 6), chat(1, 7), chat(2)])).toEqual({ 0: true, 1: true, 2: true });
  });
});

describe('a model call without tokens', () => {
  const none = (id: number, parent?: number) => chat(id, parent, 0);

  it('takes nothing from its parent, in whatever order they come', () => {
    expect(sent([[chat(0), none(1, 0)]])).toEqual([1, 100]);
    expect(sent([[none(1, 0), chat(0)]])).toEqual([1, 100]);
    expect(sent([[chat(0)], [none(1, 0)]])).toEqual([1, 100]);
    // Whoever comes first cannot know that a call with tokens will come.
    expect(sent([[none(1, 0)], [chat(0)]])).toEqual([2, 100]);
  });

  it('takes nothing from its children', () => {
    expect(sent([[none(0), chat(1, 0)]])).toEqual([1, 100]);
    expect(sent([[chat(1, 0)], [none(0)]])).toEqual([1, 100]);
    expect(sent([[none(0)], [chat(1, 0)]])).toEqual([2, 100]);
  });

  it('hides nothing between two others', () => {
    const three = [chat(0), none(1, 0), chat(2, 1, 70)];
    expect(sent([three])).toEqual([1, 70]);
    expect(sent([three.toReversed()])).toEqual([1, 70]);
    expect(sent(three.toReversed().map((one) => [one]))).toEqual([1, 70]);
    expect(sent(three.map((one) => [one]))).toEqual([1, 100]);
  });

  it('passes on what an earlier request had below it, in whatever order they come', () => {
    const later = [none(2, 1), none(1, 0), chat(0)];
    const orders = [later, later.toReversed(), [none(1, 0), none(2, 1), chat(0)]];
    for (const order of orders) expect(sent([[chat(3, 2)], order])).toEqual([1, 100]);
    const chain = Array.from({ length: MOST - 2 }, (_, id) => none(id + 1, id));
    for (const order of [chain, chain.toReversed()])
      expect(sent([[chat(MOST - 1, MOST - 2)], [...order, chat(0)]])).toEqual([1, 100]);
  });

  it('is a call where nothing else is one', () => {
    expect(sent([[none(0)], [none(1, 5)]])).toEqual([2, 0]);
  });
});

it('an embedding or a reranking is no part of a chat, nor of another', () => {
  const other = (operation: string): Told => ({ id: 1, parent: 0, tokens: 50, operation });
  for (const operation of ['embeddings', 'rerank', 'moderation']) {
    expect(sent([[chat(0), other(operation)]])).toEqual([2, 150]);
    expect(sent([[chat(0)], [other(operation)]])).toEqual([2, 150]);
    expect(sent([[other(operation)], [chat(0)]])).toEqual([2, 150]);
    // But one of an embedding is, and spellings of a chat are.
    expect(sent([[{ ...chat(0, undefined, 50), operation }, other(operation)]])).toEqual([1, 50]);
  }
  expect(sent([[chat(0, undefined, 50), other('text_completion')]])).toEqual([1, 50]);
});

describe('a model call below plain spans below a model call', () => {
  /** The client calls a gateway over HTTP, which calls the model. */
  const client = [chat(0), plain(1, 0)];
  const gateway = [plain(2, 1), chat(3, 2)];

  it.each<[string, readonly (readonly Told[])[]]>([
    ['together', [[...client, ...gateway]]],
    ['together, the other way round', [[...gateway, ...client].toReversed()]],
    ['the client first', [client, gateway]],
    ['the gateway first', [gateway, client]],
    ['the gateway first, without a span of its server', [[chat(3, 1)], client]],
    ['the client first, without a span of its server', [client, [chat(3, 1)]]],
    ['one process, the outer call in a later request', [[plain(1, 0), ...gateway], [chat(0)]]],
    [
      'with a call that does not say its tokens in between',
      [[chat(0), chat(1, 0, 0), plain(2, 1), chat(3, 2)]],
    ],
    ['a call of three, two of them below each other', [client, [...gateway, chat(4, 3)]]],
  ])('is the same call where it used as much: %s', (_name, requests) => {
    expect(sent(requests)).toEqual([1, 100]);
  });

  it('stays decided when it is sent again', () => {
    for (const order of [
      [client, gateway],
      [gateway, client],
    ]) {
      const registry = fresh();
      const first = order.map((spans) => request(registry, spans));
      expect(order.map((spans) => request(registry, spans))).toEqual(first);
    }
  });

  it('is another call where it used more or less, or is of another kind', () => {
    const another = (changes: Partial<Told>) => [plain(2, 1), { ...chat(3, 2), ...changes }];
    for (const changes of [{ tokens: 110 }, { tokens: 0 }, { operation: 'embeddings' }]) {
      const tokens = 100 + (changes.tokens ?? 100);
      expect(sent([[...client, ...another(changes)]])).toEqual([2, tokens]);
      expect(sent([client, another(changes)])).toEqual([2, tokens]);
      expect(sent([another(changes), client])).toEqual([2, tokens]);
    }
  });

  it('is another call where a tool or an agent stands in between', () => {
    // 1 has facts: nobody tells of it.
    expect(sent([[chat(0), ...gateway]])).toEqual([2, 200]);
    expect(sent([[chat(0)], gateway])).toEqual([2, 200]);
    expect(sent([gateway, [chat(0)]])).toEqual([2, 200]);
  });
});

it('plain spans below one call push out little of what is known of others', () => {
  const [many, memory] = [100_000, createModelCallRegistry()];
  const bytes = new DataView(new ArrayBuffer(16 + 8 * (many + 1)));
  for (let span = 0; span <= many; span++) bytes.setInt32(at(span), span + 1, true);
  const calls = new CallsOfRequest(new ModelCallRegistry(memory));
  calls.begin(TENANT);
  calls.addCall(0, 0, at(0), -1, {
    operation: 'chat',
    usage: { input: 100, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0 },
  });
  for (let span = 1; span <= many; span++) calls.addPlain(0, at(span), at(0));
  calls.settle(bytes, () => undefined);
  const [seed, ...marks] = new Int32Array(memory).filter((word) => word !== 0);
  expect(seed).toBeDefined();
  expect(marks.length).toBe(1 + 32);
});

it('the bytes of a request are let go when it is settled', async () => {
  const calls = new CallsOfRequest(fresh());
  const settled = (): WeakRef<DataView> => {
    const bytes = new DataView(view.buffer.slice(0));
    calls.begin(TENANT);
    calls.addCall(0, 0, at(0), -1, {
      operation: 'chat',
      usage: { input: 100, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0 },
    });
    calls.settle(bytes, () => undefined);
    return new WeakRef(bytes);
  };
  const bytes = settled();
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  await turn();
  collect();
  expect(bytes.deref()).toBeUndefined();
  calls.begin(TENANT);
});

it('many calls below many plain spans are settled in time that grows with their number', () => {
  const [many, calls] = [50_000, new CallsOfRequest(fresh())];
  const bytes = new DataView(new ArrayBuffer(16 + 8 * (2 * many + 1)));
  for (let span = 0; span <= 2 * many; span++) bytes.setInt32(at(span), span + 1, true);
  const facts = {
    operation: 'chat' as const,
    usage: { input: 100, cacheRead: 0, cacheWrite: 0, output: 5, reasoning: 0 },
  };
  calls.begin(TENANT);
  calls.addCall(0, 0, at(0), -1, facts);
  for (let span = 1; span <= many; span++) calls.addPlain(0, at(span), at(span - 1));
  for (let row = 1; row <= many; row++) calls.addCall(row, 0, at(many + row), at(many), facts);
  let [told, counted] = [0, 0];
  calls.settle(bytes, (_, counts) => {
    told++;
    if (counts) counted++;
  });
  expect([told, counted]).toEqual([many + 1, many]);
});

describe('whatever is sent', () => {
  const spans = fc
    .array(
      fc.record({
        parent: fc.option(fc.nat(MOST - 1), { nil: undefined }),
        tokens: fc.constantFrom(undefined, undefined, 0, 100, 100, 110),
        operation: fc.constantFrom('chat', 'chat', 'text_completion', 'embeddings'),
      }),
      { minLength: 1, maxLength: MOST },
    )
    .map((list) => list.map((one, id): Told => ({ ...one, id })));
  const shuffled = <T>(list: readonly T[], keys: readonly number[]): T[] =>
    list
      .map((one, index) => ({ one, key: keys[index] ?? 0 }))
      .sort((a, b) => a.key - b.key)
      .map(({ one }) => one);
  const keys = fc.array(fc.nat(), { minLength: MOST, maxLength: MOST });
  /** Parents come before their children: no circles. */
  const isTree = (list: readonly Told[]) =>
    list.every(({ id, parent }) => parent === undefined || parent < id);

  it('the order within a request decides nothing', () => {
    fc.assert(
      fc.property(spans.filter(isTree), keys, (list, order) => {
        expect(request(fresh(), shuffled(list, order))).toEqual(request(fresh(), list));
      }),
    );
  });

  it('nor does it in several requests', () => {
    // Deep ones, in which calls without tokens are above each other.
    const deep = fc
      .array(fc.record({ back: fc.nat(2), tokens: fc.constantFrom(undefined, 0, 0, 0, 100, 100, 110) }), {
        minLength: 1,
        maxLength: MOST,
      })
      .map((list) => list.map(({ back, tokens }, id): Told => ({ id, parent: above(id, back), tokens })));
    const above = (id: number, back: number) => (id > back ? id - 1 - back : undefined);
    const parts = fc.array(fc.nat(2), { minLength: MOST, maxLength: MOST });
    fc.assert(
      fc.property(fc.oneof(deep, spans.filter(isTree)), parts, keys, (list, into, order) => {
        const told = (all: readonly Told[]) => {
          const registry = fresh();
          return [0, 1, 2].map((part) =>
            request(
              registry,
              all.filter(({ id }) => into[id] === part),
            ),
          );
        };
        expect(told(shuffled(list, order))).toEqual(told(list));
      }),
    );
  });

  it('every call of a request is told once, circles of parents or not; again it is told the same', () => {
    fc.assert(
      fc.property(spans, fc.array(fc.nat(3), { minLength: MOST, maxLength: MOST }), (list, into) => {
        const requests = [0, 1, 2, 3].map((part) => list.filter((_, index) => into[index] === part));
        const registry = fresh();
        const told = requests.map((one) => request(registry, one));
        for (const [part, one] of requests.entries()) {
          const calls = one.filter(({ tokens }) => tokens !== undefined).map(({ id }) => String(id));
          expect(Object.keys(told[part] ?? {})).toEqual(calls);
        }
        expect(requests.map((one) => request(registry, one))).toEqual(told);
      }),
    );
  });

  it('tokens are never lost: of calls below each other at least the highest or what is below it counts', () => {
    fc.assert(
      fc.property(spans.filter(isTree), keys, (list, order) => {
        const registry = fresh();
        const counted = Object.assign({}, ...shuffled(list, order).map((one) => request(registry, [one])));
        const text = ({ operation }: Told) => operation !== 'embeddings';
        const around = (call: Told, other: Told): boolean => {
          let next: Told | undefined = other;
          while (next !== undefined && next.id !== call.id)
            next = next.parent === undefined ? undefined : list[next.parent];
          return next !== undefined;
        };
        for (const call of list.filter(({ tokens = 0 }) => tokens > 0)) {
          const family = list.filter(
            (other) =>
              (other.tokens ?? 0) > 0 &&
              text(other) === text(call) &&
              (around(call, other) || around(other, call)),
          );
          expect(family.some(({ id }) => counted[id] === true)).toBe(true);
        }
      }),
    );
  });
});

describe('calls that tell the same response', () => {
  const BUSY = { input: 100, cacheRead: 0, cacheWrite: 0, output: 10, reasoning: 0 };
  interface Call {
    readonly id: number;
    readonly trace?: number;
    readonly parent?: number;
    readonly responseId?: string;
    readonly names?: number;
    readonly scope?: number;
    readonly second?: number;
    readonly usage?: typeof BUSY;
    /** A span that is no call: with usage, or without. */
    readonly other?: 'used' | 'plain';
  }
  /** Two traces, with ids of spans as above. */
  const traces = new DataView(
    Uint8Array.from({ length: 32 + 8 * MOST }, (_, index) => (index * 41 + 7) & 0xff).buffer,
  );

  function told(registry: ModelCallRegistry, calls: readonly Call[]): Record<number, number> {
    const request = new CallsOfRequest(registry);
    request.begin(TENANT);
    for (const { id, trace = 0, parent, other, usage = BUSY, ...more } of calls) {
      const [traceAt, spanAt] = [trace * 16, 32 + id * 8];
      const parentAt = parent === undefined ? -1 : 32 + parent * 8;
      if (other === undefined)
        request.addCall(id, traceAt, spanAt, parentAt, { operation: 'chat', usage, second: 1000, ...more });
      else request.addOther(other === 'used' ? id : -1, traceAt, spanAt, parentAt);
    }
    const counted: Record<number, number> = {};
    request.settle(traces, (row, counts) => {
      counted[row] = counts;
    });
    return counted;
  }
  /** What is counted of spans that come in one request, or each in its own. */
  const together = (calls: readonly Call[]) => told(fresh(), calls);
  function apart(calls: readonly Call[]): Record<number, number> {
    const registry = fresh();
    return Object.assign({}, ...calls.map((call) => told(registry, [call]))) as Record<number, number>;
  }

  it.each([
    [
      'siblings',
      [
        { id: 1, parent: 0, responseId: 'r' },
        { id: 2, parent: 0, responseId: 'r' },
      ],
    ],
    [
      'of two traces',
      [
        { id: 1, responseId: 'r' },
        { id: 2, trace: 1, responseId: 'r' },
      ],
    ],
    [
      'of different usage',
      [
        { id: 1, responseId: 'r' },
        { id: 2, responseId: 'r', usage: { ...BUSY, input: 7 } },
      ],
    ],
  ] satisfies [string, Call[]][])('by the id of the response, %s: once', (_name, calls) => {
    for (const counted of [together(calls), apart(calls)]) expect(Object.values(counted)).toEqual([1, 0]);
  });

  it('responses of two ids are two, and so is an id that comes again after an hour', () => {
    expect(
      together([
        { id: 1, responseId: 'a' },
        { id: 2, responseId: 'b' },
      ]),
    ).toEqual({ 1: 1, 2: 1 });
    expect(
      together([
        { id: 1, responseId: 'a' },
        { id: 2, responseId: 'a', second: 4600 },
      ]),
    ).toEqual({ 1: 1, 2: 1 });
  });

  it('siblings of two scopes with the same usage in the same second are one; of one scope they are as many as they are', () => {
    const twins = [
      { id: 1, parent: 0, scope: 1 },
      { id: 2, parent: 0, scope: 2 },
    ];
    for (const counted of [together(twins), apart(twins)]) expect(counted).toEqual({ 1: 1, 2: 0 });
    expect(
      together([
        { id: 1, parent: 0, scope: 1 },
        { id: 2, parent: 0, scope: 1 },
      ]),
    ).toEqual({ 1: 1, 2: 1 });
    // Twice the same at once, each told twice.
    const four = [...twins, { id: 3, parent: 0, scope: 1 }, { id: 4, parent: 0, scope: 2 }];
    expect(together(four)).toEqual({ 1: 1, 2: 0, 3: 1, 4: 0 });
    for (const other of [{ second: 1005 }, { usage: { ...BUSY, output: 11 } }, { parent: 5 }])
      expect(
        together([
          { id: 1, parent: 0, scope: 1 },
          { id: 2, parent: 0, scope: 2, ...other },
        ]),
      ).toEqual({ 1: 1, 2: 1 });
    // Two responses that say who they are.
    const named = twins.map((call) => ({ ...call, responseId: `r${call.id}` }));
    expect(together(named)).toEqual({ 1: 1, 2: 1 });
  });

  it('the one that names a session, a user or an agent counts', () => {
    expect(
      together([
        { id: 0, names: 7 },
        { id: 1, parent: 0 },
      ]),
    ).toEqual({ 0: 1, 1: 0 });
    expect(
      together([
        { id: 1, parent: 0 },
        { id: 0, names: 7 },
      ]),
    ).toEqual({ 0: 1, 1: 0 });
    expect(
      together([
        { id: 0, names: 7 },
        { id: 1, parent: 0, names: 7 },
      ]),
    ).toEqual({ 0: 0, 1: 1 });
    expect(
      together([
        { id: 1, responseId: 'r' },
        { id: 2, responseId: 'r', names: 4 },
      ]),
    ).toEqual({ 1: 0, 2: 1 });
    // The sum of two children is no repeat of one of them.
    const sum = { id: 0, names: 7, usage: { ...BUSY, input: 200 } };
    expect(together([sum, { id: 1, parent: 0 }, { id: 2, parent: 0 }])).toMatchObject({ 0: 0, 1: 1, 2: 1 });
  });

  it('where it arrives later it counts for these names alone', () => {
    const parent = { id: 0, names: 7 };
    expect(apart([{ id: 1, parent: 0 }, parent])).toEqual({ 1: 1, 0: 6 });
    expect(apart([{ id: 1, parent: 0, names: 4 }, parent])).toEqual({ 1: 1, 0: 4 });
    expect(apart([{ id: 1, parent: 0, names: 7 }, parent])).toEqual({ 1: 1, 0: 0 });
    expect(
      apart([
        { id: 1, responseId: 'r' },
        { id: 2, responseId: 'r', names: 4 },
      ]),
    ).toEqual({ 1: 1, 2: 2 });
    // Through one in between that names nothing.
    expect(apart([{ id: 2, parent: 1 }, { id: 1, parent: 0 }, parent])).toEqual({ 2: 1, 1: 0, 0: 6 });
  });

  it('is the same when it is sent again', () => {
    const registry = fresh();
    const calls = [
      { id: 0, names: 7, responseId: 'r' },
      { id: 1, parent: 0, responseId: 'r' },
      { id: 2, parent: 5, scope: 1, responseId: 'r' },
      { id: 3, parent: 5, scope: 2 },
    ];
    const once = told(registry, calls);
    expect(once).toEqual({ 0: 1, 1: 0, 2: 0, 3: 1 });
    expect(told(registry, calls)).toEqual(once);
    expect(told(registry, calls.toReversed())).toEqual(once);
  });

  it('the usage of an agent counts where no call below it has any, at any depth', () => {
    const agent: Call = { id: 0, other: 'used' };
    const tool: Call = { id: 1, parent: 0, other: 'plain' };
    const below: Call = { id: 2, parent: 1 };
    expect(together([agent, tool])).toEqual({ 0: 1 });
    expect(together([agent, tool, below])).toEqual({ 2: 1 });
    expect(apart([below, tool, agent])).toEqual({ 2: 1 });
    expect(together([agent, { id: 1, parent: 0, other: 'used' }])).toEqual({ 1: 1 });
    // A call that says no tokens carries none.
    expect(together([agent, { ...below, parent: 0, usage: { ...BUSY, input: 0, output: 0 } }])).toMatchObject(
      { 0: 1 },
    );
    // What comes after its agent is a part of it.
    expect(apart([agent, { id: 3, parent: 0 }])).toEqual({ 0: 1, 3: 0 });
  });
});
