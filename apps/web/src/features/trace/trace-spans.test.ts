import { describe, expect, it } from 'vitest';
import { testSpan } from './light-span.fixture.ts';
import {
  failedPositions,
  findPositions,
  firstToRead,
  nextOf,
  positionNear,
  reasonBelow,
  rootOf,
  spanNews,
  traceSpans,
} from './trace-spans.ts';
import { buildTree } from './tree.ts';

const spans = [
  testSpan('root', '', 'other', 0, { name: 'POST /chat' }),
  testSpan('agent', 'root', 'agent', 1, { name: 'invoke_agent Shop', agent: 'Shop' }),
  testSpan('llm', 'agent', 'llm', 2, { name: 'chat gpt-4o', model: 'gpt-4o' }),
  testSpan('db', 'root', 'other', 3, { name: 'INSERT', status: 'error', statusMessage: 'duplicate key' }),
];
const tree = buildTree(spans);

describe('spans of a trace', () => {
  it('reads the first model call first, else an agent, else the root', () => {
    expect(firstToRead(spans, tree)?.spanId).toBe('llm');
    const without = spans.filter((span) => span.reading !== 'llm');
    expect(firstToRead(without, buildTree(without))?.spanId).toBe('agent');
    const plain = spans.filter((span) => span.reading === 'other');
    expect(firstToRead(plain, buildTree(plain))?.spanId).toBe('root');
    expect(firstToRead([], buildTree([]))).toBeUndefined();
  });

  it('finds by all words in any case, and by the whole id', () => {
    expect(findPositions(spans, tree, 'SHOP invoke')).toEqual([1]);
    expect(findPositions(spans, tree, 'duplicate')).toEqual([3]);
    expect(findPositions(spans, tree, 'db')).toEqual([3]);
    expect(findPositions(spans, tree, '  ')).toEqual([]);
  });

  it('walks failed spans around the end', () => {
    const failed = failedPositions(spans, tree);
    expect(failed).toEqual([3]);
    expect([nextOf(failed, 0, 1), nextOf(failed, 3, 1), nextOf(failed, 0, -1), nextOf([], 0, 1)]).toEqual([
      3,
      3,
      3,
      undefined,
    ]);
  });

  it('knows which failure below a failed span is its reason', () => {
    const failed = (id: string, parent: string, startMs: number, statusMessage: string | null = null) =>
      testSpan(id, parent, 'other', startMs, { status: 'error', errorType: '_OTHER', statusMessage });
    const all = [
      failed('answer', '', 0),
      failed('retrieve', 'answer', 1),
      testSpan('wrapper', 'retrieve', 'other', 2),
      failed('retried', 'retrieve', 1, 'timed out'),
      failed('search', 'wrapper', 3, 'no such collection'),
      failed('socket', 'search', 4),
      failed('alone', '', 5, 'its own'),
      failed('same', 'alone', 6, 'its own'),
    ];
    const shape = buildTree(all);
    const reasonOf = (id: string) => {
      const span = all.find((one) => one.spanId === id);
      return span && reasonBelow(all, shape, span)?.spanId;
    };
    const reasons = ['answer', 'retrieve', 'wrapper', 'search', 'socket', 'alone'].map(reasonOf);
    // What succeeded has no reason to have failed; a repeated message is no news.
    expect(reasons).toEqual(['search', 'search', undefined, undefined, undefined, undefined]);
  });

  it('says what a key led to, and which of the failed ones it is', () => {
    const [root, , , failed] = spans;
    expect(root && spanNews(root)).toBe('POST /chat');
    expect(failed && spanNews(failed)).toBe('INSERT, failed');
    expect(failed && spanNews(failed, 2, 1_200)).toBe('INSERT, failed, 3 of 1.2k failed spans');
  });

  it('joins pages in order, converting each page once', () => {
    const pages = [[spans[0]?.light, spans[1]?.light], [spans[2]?.light]].map((page) =>
      page.filter((light) => light !== undefined),
    );
    const once = traceSpans(pages);
    expect(once.map((span) => span.spanId)).toEqual(['root', 'agent', 'llm']);
    expect(traceSpans(pages)[0]).toBe(once[0]);
  });
});

it('takes the first span without a parent for the root, whatever the clocks say', () => {
  const rootIn = (of: ReturnType<typeof testSpan>[]) => rootOf(of, buildTree(of))?.spanId;
  const orphan = testSpan('early', 'gone', 'other', 0);
  expect(rootIn([orphan, testSpan('root', '', 'other', 5), testSpan('second', '', 'other', 6)])).toBe('root');
  expect(rootIn([testSpan('late', 'gone', 'other', 1), orphan])).toBe('early');
  expect(rootIn([])).toBeUndefined();
});

const at = (ms: number) => ({ startTime: new Date(ms).toISOString() });

describe('spans that share an id', () => {
  const shared = [
    testSpan('r', '', 'other', 0, at(0)),
    testSpan('a', 'r', 'other', 1, at(1)),
    testSpan('b', 'r', 'other', 2, at(2)),
    testSpan('a', 'r', 'other', 3, at(3)),
    testSpan('c', 'r', 'other', 4, at(4)),
    testSpan('a', 'r', 'other', 5, at(5)),
  ];
  const its = buildTree(shared);
  const jumpTo = (position: number) => {
    const span = shared[its.order[position] ?? -1];
    return { spanId: span?.spanId ?? '', position, startTime: span?.light.startTime };
  };

  it('are walked past', () => {
    const walked = [0];
    for (let last = 0; last < 5; last = walked.at(-1) ?? 5) {
      const jump = jumpTo(last + 1);
      walked.push(positionNear(shared, its, jump.spanId, jump) ?? -1);
    }
    expect(walked).toEqual([0, 1, 2, 3, 4, 5]);
    // What has another id by now, or was never walked to, is the first with it.
    expect(positionNear(shared, its, 'a', jumpTo(4))).toBe(1);
    expect(positionNear(shared, its, 'a', { spanId: 'a', position: -1 })).toBe(1);
    expect(positionNear(shared, its, 'gone', jumpTo(2))).toBeUndefined();
  });

  it('stay selected where they are as the trace grows', () => {
    // All start later in a trace that is known to begin earlier.
    const grown = [
      testSpan('early', '', 'other', 0, at(-9)),
      ...shared.map(({ spanId, parentSpanId, startMs, light }) =>
        testSpan(spanId, parentSpanId, 'other', startMs + 9, { startTime: light.startTime }),
      ),
    ];
    const tree = buildTree(grown);
    const selected = [1, 3, 5].map((position) => positionNear(grown, tree, 'a', jumpTo(position)));
    expect(selected).toEqual([2, 4, 6]);
    // Another one with that id came to where it was.
    const more = [...shared.slice(0, 2), testSpan('a', 'r', 'other', 2, at(2)), ...shared.slice(2)];
    expect(positionNear(more, buildTree(more), 'a', jumpTo(3))).toBe(4);
    // It is gone.
    const fewer = shared.slice(0, 3);
    expect(positionNear(fewer, buildTree(fewer), 'a', jumpTo(3))).toBe(1);
  });
});
