import { randomBytes } from 'node:crypto';
import type { LlmCall } from './calls.ts';
import { type Exchange, hostOf } from './exchange.ts';

type Value =
  | { readonly stringValue: string }
  | { readonly intValue: string }
  | { readonly doubleValue: number }
  | { readonly boolValue: boolean }
  | { readonly arrayValue: { readonly values: readonly { readonly stringValue: string }[] } };
interface Attribute {
  readonly key: string;
  readonly value: Value;
}

/** Whose program said it. */
export interface Speaker {
  readonly service: string;
  readonly workload: string;
  readonly pid: number;
  readonly content: boolean;
}

const SCOPE = { name: 'platform.ebpf', version: '1' };

/** A span of OTLP/JSON for a call. `offset`: nanoseconds from the monotonic clock to the wall clock. */
export function spanOf(exchange: Exchange, call: LlmCall, { pid, content }: Speaker, offset: bigint) {
  const attributes: Attribute[] = [];
  const add = (key: string, value: Value | undefined) =>
    value !== undefined && attributes.push({ key, value });
  const text = (key: string, value: string | undefined) =>
    add(key, value === undefined ? undefined : { stringValue: value });
  const whole = (key: string, value: number | undefined) =>
    add(key, value === undefined ? undefined : { intValue: String(value) });
  const host = hostOf(exchange);
  text('gen_ai.operation.name', call.operation);
  text('gen_ai.provider.name', call.provider);
  text('gen_ai.request.model', call.requestModel);
  text('gen_ai.response.model', call.responseModel);
  text('gen_ai.response.id', call.responseId);
  whole('gen_ai.usage.input_tokens', call.inputTokens);
  whole('gen_ai.usage.output_tokens', call.outputTokens);
  whole('gen_ai.usage.cache_read.input_tokens', call.cachedTokens);
  if (call.finishReasons.length > 0)
    add('gen_ai.response.finish_reasons', {
      arrayValue: { values: call.finishReasons.map((stringValue) => ({ stringValue })) },
    });
  if (call.streamed && exchange.response.firstAt !== undefined)
    add('gen_ai.response.time_to_first_chunk', {
      doubleValue: Number(exchange.response.firstAt - exchange.startedAt) / 1e9,
    });
  text('mcp.method.name', call.mcpMethod);
  text('gen_ai.tool.name', call.tool);
  text('server.address', host);
  const { headers } = exchange.request;
  const authority = headers.get('host') ?? headers.get(':authority') ?? host;
  if (authority !== undefined && exchange.path !== '')
    text('url.full', `https://${authority}${exchange.path}`);
  whole('http.response.status_code', exchange.status || undefined);
  whole('http.request.body.size', exchange.request.body.bytes);
  whole('http.response.body.size', exchange.response.bytes);
  whole('process.pid', pid);
  if (call.partial) add('platform.ebpf.partial', { boolValue: true });
  add('platform.ebpf.content', { boolValue: content });
  if (call.input !== undefined && call.input.length > 0)
    text('gen_ai.input.messages', JSON.stringify(call.input));
  if (call.output !== undefined && call.output !== '')
    text(
      'gen_ai.output.messages',
      JSON.stringify([{ role: 'assistant', parts: [{ type: 'text', content: call.output }] }]),
    );
  const late = exchange.path === '';
  const failed = exchange.status >= 400 || exchange.broken || (exchange.status === 0 && !late);
  if (failed) text('error.type', exchange.status >= 400 ? String(exchange.status) : 'broken_off');
  return {
    traceId: randomBytes(16).toString('hex'),
    spanId: randomBytes(8).toString('hex'),
    name: [call.operation, call.tool ?? call.requestModel].filter((one) => one !== undefined).join(' '),
    kind: 3,
    startTimeUnixNano: String(exchange.startedAt + offset),
    endTimeUnixNano: String(exchange.endedAt + offset),
    attributes,
    status: failed ? { code: 2 } : {},
  };
}
export type Span = ReturnType<typeof spanOf>;

/** The body of an export: a resource for each program. */
function exportBody(spans: readonly { readonly speaker: Speaker; readonly span: Span }[], host: string) {
  const groups = new Map<string, { speaker: Speaker; spans: Span[] }>();
  for (const { speaker, span } of spans) {
    const group = groups.get(speaker.workload) ?? { speaker, spans: [] };
    groups.set(speaker.workload, group);
    group.spans.push(span);
  }
  return {
    resourceSpans: Array.from(groups.values(), ({ speaker, spans: own }) => ({
      resource: {
        attributes: [
          { key: 'service.name', value: { stringValue: speaker.service } },
          { key: 'service.workload.key', value: { stringValue: speaker.workload } },
          { key: 'host.name', value: { stringValue: host } },
        ],
      },
      scopeSpans: [{ scope: SCOPE, spans: own }],
    })),
  };
}

const MAX_WAITING = 5_000;
const BATCH = 500;

/** Sends spans by OTLP/HTTP in JSON; what waits is bounded, what is given up is counted. */
export class SpanSender {
  readonly #endpoint: string;
  readonly #headers: Readonly<Record<string, string>>;
  readonly #host: string;
  #waiting: { readonly speaker: Speaker; readonly span: Span }[] = [];
  #sending: Promise<void> | undefined;
  dropped = 0;
  problem = '';

  constructor(endpoint: string, headers: Readonly<Record<string, string>>, host: string) {
    this.#endpoint = `${endpoint.replace(/\/$/, '')}/v1/traces`;
    this.#headers = headers;
    this.#host = host;
  }

  add(speaker: Speaker, span: Span): void {
    if (this.#waiting.length >= MAX_WAITING) this.dropped += 1;
    else this.#waiting.push({ speaker, span });
  }

  /** Sends what waits; what could not be sent stays for the next time. */
  flush(): Promise<void> {
    this.#sending ??= this.#send().finally(() => (this.#sending = undefined));
    return this.#sending;
  }

  async #send(): Promise<void> {
    while (this.#waiting.length > 0) {
      const batch = this.#waiting.slice(0, BATCH);
      try {
        const answer = await fetch(this.#endpoint, {
          method: 'POST',
          redirect: 'error',
          headers: { ...this.#headers, 'content-type': 'application/json' },
          body: JSON.stringify(exportBody(batch, this.#host)),
          signal: AbortSignal.timeout(10_000),
        });
        await answer.arrayBuffer();
        this.problem = answer.ok ? '' : `traces are not taken: ${answer.status}`;
        // What is refused as it is will not be taken later.
        if (!answer.ok && (answer.status === 429 || answer.status >= 500)) return;
        if (!answer.ok) this.dropped += batch.length;
        this.#waiting = this.#waiting.slice(batch.length);
      } catch (thrown) {
        this.problem = `traces cannot be sent: ${thrown instanceof Error ? thrown.message : String(thrown)}`;
        return;
      }
    }
  }
}
