import { expect, it } from 'vitest';
import { testSpan } from './light-span.fixture.ts';
import { traceNotes } from './trace-notes.ts';
import { buildTree } from './tree.ts';

type Spans = ReturnType<typeof testSpan>[];
const notes = (spans: Spans) => traceNotes(spans, buildTree(spans));

it.each<[string, Spans, RegExp[]]>([
  ['nothing', [], []],
  ['one span', [testSpan('a', '', 'other', 0)], []],
  [
    'an orphan',
    [testSpan('a', '', 'other', 0), testSpan('b', 'gone', 'other', 1)],
    [/^One span names a parent that was/],
  ],
  [
    'only orphans',
    [testSpan('b', 'gone', 'other', 1), testSpan('c', 'gone', 'other', 1)],
    [/^2 spans name a parent/],
  ],
  ['two roots', [testSpan('a', '', 'other', 0), testSpan('b', '', 'other', 1)], [/has 2 roots/]],
  ['a cycle', [testSpan('a', 'b', 'other', 0), testSpan('b', 'a', 'other', 1)], [/^One ring of spans/]],
  ['its own parent', [testSpan('a', 'a', 'other', 0)], [/^One ring of spans/]],
  [
    'two cycles',
    [
      testSpan('a', 'b', 'other', 0),
      testSpan('b', 'a', 'other', 1),
      testSpan('c', 'd', 'other', 2),
      testSpan('d', 'c', 'other', 3),
    ],
    [/^2 rings of spans/],
  ],
  [
    'a cycle beside a span that is its own parent',
    [testSpan('a', 'b', 'other', 0), testSpan('b', 'a', 'other', 1), testSpan('c', 'c', 'other', 2)],
    [/^2 rings of spans/],
  ],
  [
    'a cycle with an earlier span below it',
    [testSpan('tail', 'a', 'other', 5), testSpan('a', 'b', 'other', 5.2), testSpan('b', 'a', 'other', 5.4)],
    [/^One ring of spans/],
  ],
  [
    'a skewed child',
    [testSpan('a', '', 'other', 500), testSpan('b', 'a', 'other', 0)],
    [/^One span begins up to 500 ms before the parent/],
  ],
  ['a hair of skew', [testSpan('a', '', 'other', 0.5), testSpan('b', 'a', 'other', 0)], []],
  [
    'a running span',
    [testSpan('a', '', 'other', 0, { unfinished: true, durationMs: 0 })],
    [/^One span has no end yet/],
  ],
])('notes of %s', (_name, spans, expected) => {
  const said = notes(spans);
  expect(said).toHaveLength(expected.length);
  for (const [index, pattern] of expected.entries()) expect(said[index]).toMatch(pattern);
});

it('has nothing to say of 10,000 siblings', () => {
  const spans = [
    testSpan('root', '', 'other', 0),
    ...Array.from({ length: 10_000 }, (_, index) => testSpan(`s${index}`, 'root', 'other', index)),
  ];
  expect(notes(spans)).toEqual([]);
});

it('calls a parent late, not lost, while the page looks again', () => {
  const orphan = testSpan('b', 'running', 'other', 1);
  const ran = testSpan('c', '', 'other', 2, { unfinished: true, durationMs: 0 });
  const said = (spans: Spans) => traceNotes(spans, buildTree(spans), true);
  expect(said([orphan])).toEqual([
    'One span names a parent that was not received yet; it stands at the top. This page looks again every 5 seconds.',
  ]);
  expect(said([orphan, ran]).map((note) => note.includes('looks again'))).toEqual([false, true]);
  expect(notes([orphan])[0]).toContain('that was never received');
});
