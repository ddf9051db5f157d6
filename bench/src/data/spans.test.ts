import { zstdCompressSync } from 'node:zlib';
import { decodeTraces } from '@candela/otlp';
import { expect, test } from 'vitest';
import { BenchRandom } from '../lib/random.ts';
import { prepareBatch, RARE_KEY, SPANS_PER_TRACE } from './spans.ts';
import { prose } from './texts.ts';

const NOW = 1_795_000_000_123_456_789n;

const spansOf = (body: Uint8Array) =>
  decodeTraces(body, 'protobuf').resourceSpans?.[0]?.scopeSpans?.[0]?.spans ?? [];

const attributesOf = (owner: { attributes?: unknown } | undefined): Map<string, unknown> =>
  owner?.attributes instanceof Map ? owner.attributes : new Map();
const sizeOf = (owner: { attributes?: unknown } | undefined): number => attributesOf(owner).size;

const messagesOf = (body: Uint8Array): string[] =>
  spansOf(body)
    .map((span) => {
      const attributes = attributesOf(span);
      return `${attributes.get('gen_ai.input.messages') ?? ''}${attributes.get('gen_ai.output.messages') ?? ''}`;
    })
    .filter((text) => text !== '');

test('a batch is what the goal names: 1,000 spans, 11 attributes, 4 of the resource, 40 % with 1 kB of messages', () => {
  const batch = prepareBatch(3);
  batch.renew(new BenchRandom(1), NOW);
  const request = decodeTraces(batch.body, 'protobuf');
  expect(sizeOf(request.resourceSpans?.[0]?.resource)).toBe(4);
  const spans = spansOf(batch.body);
  expect(spans).toHaveLength(1_000);
  expect(new Set(spans.map(sizeOf))).toEqual(new Set([11]));
  expect(spans.filter((span) => attributesOf(span).has(RARE_KEY))).toHaveLength(1);
  const messages = messagesOf(batch.body);
  expect(messages).toHaveLength(400);
  const mean = messages.reduce((sum, text) => sum + text.length, 0) / messages.length;
  expect(mean).toBeGreaterThan(950);
  expect(mean).toBeLessThan(1_150);
  // The compressed size of the texts decides the bytes a span: as real conversations, no duller.
  const ratio = (text: string) => Buffer.byteLength(text) / zstdCompressSync(Buffer.from(text)).length;
  expect(ratio(messages.join('\n'))).toBeLessThan(11);
  const hard = prepareBatch(3, 1_000, 'unrelated');
  hard.renew(new BenchRandom(1), NOW);
  expect(ratio(messagesOf(hard.body).join('\n'))).toBeLessThan(7.5);
  expect(ratio(prose(new BenchRandom(4), 1 << 20))).toBeLessThan(2.9);
});

test('renewing gives every span a fresh identity and time, and keeps the tree', () => {
  const batch = prepareBatch(5);
  const random = new BenchRandom(9);
  const seen = new Set<unknown>();
  for (const begin of [NOW, NOW + 1_000_000_000n]) {
    batch.renew(random, begin);
    const spans = spansOf(batch.body);
    spans.forEach((span, index) => {
      seen.add(span.spanId);
      const start = BigInt(span.startTimeUnixNano ?? 0);
      expect(start >= begin && start < begin + 1_000_000_000n).toBe(true);
      expect(BigInt(span.endTimeUnixNano ?? 0) > start).toBe(true);
      const root = spans[index - (index % SPANS_PER_TRACE)];
      expect(span.traceId).toBe(root?.traceId);
      const family = spans.slice(index - (index % SPANS_PER_TRACE)).slice(0, SPANS_PER_TRACE);
      if (index % SPANS_PER_TRACE > 0) expect(family.map((each) => each.spanId)).toContain(span.parentSpanId);
    });
    expect(new Set(spans.map((span) => span.traceId)).size).toBe(100);
  }
  expect(seen.size).toBe(2_000);
});

test('the case number in a message changes from sending to sending', () => {
  const batch = prepareBatch(8);
  const random = new BenchRandom(2);
  const first = () => {
    batch.renew(random, NOW);
    return String(attributesOf(spansOf(batch.body)[1]).get('gen_ai.input.messages'));
  };
  const [a, b] = [first(), first()];
  expect(a).toMatch(/case \d{8}/);
  expect(a).not.toBe(b);
  expect(a.replace(/case \d{8}/, '')).toBe(b.replace(/case \d{8}/, ''));
});
