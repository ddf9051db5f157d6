import { encodeTraceRequest, type Span } from '@candela/otlp';
import type { AttributeValue } from '@candela/semconv';

/** Deterministic numbers (mulberry32), so that two runs measure the same bytes. */
function randomOf(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 0x1_0000_0000;
  };
}

const WORDS =
  'the order was shipped on time but customer asks for a refund because parcel arrived open we checked stock and price again today please answer in short clear sentences with one table of costs'.split(
    ' ',
  );
const MODELS = ['gpt-4o', 'gpt-4o-mini', 'claude-sonnet-4-5', 'gemini-2.5-flash'];
const ROUTES = ['/api/orders', '/api/cart', '/api/search', '/api/users/:id', '/health'];

/**
 * Protobuf trace requests of the shape that all ingest figures are about: 11 attributes a span, 4 resource
 * attributes, about 10 spans a trace, 40 % of the spans model calls with about 1 kB of messages, the others HTTP and
 * database spans.
 */
export function traceBatches(count: number, spansPerBatch: number, seed = 1): Uint8Array[] {
  const random = randomOf(seed);
  return Array.from({ length: count }, () => {
    const spans: Span[] = [];
    while (spans.length < spansPerBatch) {
      addTrace(spans, Math.min(10, spansPerBatch - spans.length), random);
    }
    return encodeTraceRequest({
      resourceSpans: [
        {
          resource: {
            attributes: {
              'service.name': 'checkout',
              'service.version': '1.4.2',
              'deployment.environment.name': 'production',
              'host.name': 'node-17',
            },
          },
          scopeSpans: [{ scope: { name: 'bench', version: '1.0.0' }, spans }],
        },
      ],
    });
  });
}

function addTrace(spans: Span[], size: number, random: () => number): void {
  const traceId = hex(16, random);
  const root = hex(8, random);
  const start = 1_760_000_000_000_000_000n + BigInt(Math.floor(random() * 1e15));
  for (let index = 0; index < size; index++) {
    const from = start + BigInt(index) * 1_000_003n;
    const isCall = index % 5 === 1 || index % 5 === 3;
    spans.push({
      traceId,
      spanId: index === 0 ? root : hex(8, random),
      ...(index === 0 ? {} : { parentSpanId: root }),
      flags: 1,
      kind: index === 0 ? 2 : 3,
      startTimeUnixNano: from,
      endTimeUnixNano: from + BigInt(Math.floor(random() * 2e9)),
      ...(isCall ? modelCall(random) : index % 2 === 0 ? httpCall(random) : query(random)),
      status: { code: random() < 0.02 ? 2 : 0 },
    });
  }
}

type Body = { readonly name: string; readonly attributes: Record<string, AttributeValue> };

function modelCall(random: () => number): Body {
  const model = pick(MODELS, random);
  return {
    name: `chat ${model}`,
    attributes: {
      'gen_ai.operation.name': 'chat',
      'gen_ai.provider.name': model.startsWith('claude') ? 'anthropic' : 'openai',
      'gen_ai.request.model': model,
      'gen_ai.response.model': model,
      'gen_ai.request.temperature': Math.floor(random() * 10) / 10,
      'gen_ai.response.id': `chatcmpl-${hex(12, random)}`,
      'gen_ai.response.finish_reasons': ['stop'],
      'gen_ai.usage.input_tokens': 100 + Math.floor(random() * 2000),
      'gen_ai.usage.output_tokens': 10 + Math.floor(random() * 500),
      'gen_ai.input.messages': message('user', 650, random),
      'gen_ai.output.messages': message('assistant', 350, random),
    },
  };
}

function message(role: string, length: number, random: () => number): string {
  let content = '';
  while (content.length < length - 60) content += `${pick(WORDS, random)} `;
  return JSON.stringify([{ role, parts: [{ type: 'text', content }] }]);
}

function httpCall(random: () => number): Body {
  const route = pick(ROUTES, random);
  return {
    name: `GET ${route}`,
    attributes: {
      'http.request.method': 'GET',
      'http.route': route,
      'http.response.status_code': random() < 0.02 ? 500 : 200,
      'url.scheme': 'https',
      'url.path': `${route}/${Math.floor(random() * 1e6)}`,
      'url.full': `https://shop.example${route}/${Math.floor(random() * 1e6)}`,
      'server.address': 'shop.example',
      'server.port': 443,
      'client.address': `10.0.${Math.floor(random() * 256)}.${Math.floor(random() * 256)}`,
      'user_agent.original': 'Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36',
      'network.protocol.version': '1.1',
    },
  };
}

function query(random: () => number): Body {
  return {
    name: 'SELECT orders',
    attributes: {
      'db.system.name': 'postgresql',
      'db.namespace': 'shop',
      'db.collection.name': 'orders',
      'db.operation.name': 'SELECT',
      'db.query.text': 'SELECT id, total, state FROM orders WHERE customer_id = $1 AND state <> $2 LIMIT 50',
      'db.response.returned_rows': Math.floor(random() * 50),
      'server.address': 'db-1.internal',
      'server.port': 5432,
      'thread.id': Math.floor(random() * 64),
      'thread.name': `pool-${Math.floor(random() * 16)}`,
      'db.client.connection.pool.name': 'main',
    },
  };
}

function pick<T>(items: readonly T[], random: () => number): T {
  return items[Math.floor(random() * items.length)] as T;
}

function hex(bytes: number, random: () => number): string {
  let text = '';
  for (let index = 0; index < bytes; index++) {
    text += Math.floor(random() * 256)
      .toString(16)
      .padStart(2, '0');
  }
  return text;
}
