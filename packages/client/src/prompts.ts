import { type CandelaError, misconfigured } from './errors.ts';
import type { Flights } from './flights.ts';
import type { Held, PromptCache } from './prompt-cache.ts';
import { Fields, freeze } from './read.ts';
import { callWithRetries } from './retry.ts';
import type { Settings } from './settings.ts';
import type { Call } from './transport.ts';

export type PromptVariables = Readonly<Record<string, string | number | boolean>>;

export interface PromptRequest {
  /** Name of the prompt. This or `promptId` is needed. */
  readonly name?: string | undefined;
  readonly promptId?: string | undefined;
  /** `1.2.0`, a range (`1.x`), a label (`production`) or `latest`. Default: the latest published one. */
  readonly version?: string | undefined;
  /** Fill the variables in. Default false: `compiledPrompt` is the template then. */
  readonly shouldCompile?: boolean | undefined;
  readonly variables?: PromptVariables | undefined;
  /** Sent along, e.g. `{ applicationName: 'checkout' }`. */
  readonly metaProperties?: Readonly<Record<string, unknown>> | undefined;
  /** Ends the call; it rejects with the reason of the signal. */
  readonly signal?: AbortSignal | undefined;
}

/** A message of a chat prompt. */
export interface PromptMessage {
  readonly role: 'system' | 'developer' | 'user' | 'assistant' | (string & {});
  readonly content: string;
}

/** What to pass to the model with the prompt; what a version does not set is absent. */
export interface PromptModelSettings {
  readonly provider?: string;
  readonly model?: string;
  readonly temperature?: number;
  readonly topP?: number;
  readonly maxTokens?: number;
  readonly frequencyPenalty?: number;
  readonly presencePenalty?: number;
  readonly seed?: number;
  readonly stop?: readonly string[];
  readonly reasoningEffort?: string;
}

export interface PromptTool {
  readonly name: string;
  readonly description?: string;
  /** A JSON Schema. */
  readonly parameters?: Readonly<Record<string, unknown>>;
}

export type PromptResponseFormat =
  | { readonly type: 'text' }
  | { readonly type: 'json_object' }
  | {
      readonly type: 'json_schema';
      readonly name: string;
      readonly schema: Readonly<Record<string, unknown>>;
      readonly strict?: boolean;
    };

/** A published version of a prompt. */
export interface CompiledPrompt {
  readonly promptId: string;
  readonly versionId: string;
  readonly name: string;
  readonly version: string;
  readonly tags: readonly string[];
  readonly metaProperties: Readonly<Record<string, unknown>>;
  /** The template, with its `{{variables}}`. */
  readonly prompt: string;
  /** The template with the variables filled in; equal to it when nothing was to be compiled. */
  readonly compiledPrompt: string;
  /** Variables of the template that got no value and stand in it as written. Empty when nothing was to be compiled. */
  readonly missing: readonly string[];
  /** Variables that were given and are not in the template. Empty when nothing was to be compiled. */
  readonly unused: readonly string[];
  /** Of a chat prompt: its messages, with the variables filled in where that was asked for. Empty for a plain text. */
  readonly messages: readonly PromptMessage[];
  /** Empty where the version has none. */
  readonly modelSettings: PromptModelSettings;
  readonly tools: readonly PromptTool[];
  readonly responseFormat: PromptResponseFormat | undefined;
}

/** Attributes for the span of the model call, by which the platform finds the traces of a prompt. */
export interface PromptSpanAttributes {
  readonly 'gen_ai.prompt.name': string;
  readonly 'gen_ai.prompt.version': string;
  readonly 'platform.prompt.id': string;
}

export interface PromptResult extends CompiledPrompt {
  readonly spanAttributes: PromptSpanAttributes;
  /** Whether this is an older copy because the platform could not be asked. */
  readonly stale: boolean;
  /** Why it could not; undefined when the result is not stale. */
  readonly staleBecause: CandelaError | undefined;
}

function bodyOf(settings: Settings, request: PromptRequest): string {
  const { name, promptId, version, shouldCompile = false, variables = {}, metaProperties } = request;
  if (!name && !promptId) throw misconfigured('Say which prompt: give `name` or `promptId`.');
  return JSON.stringify({
    name,
    promptId,
    version,
    compile: shouldCompile,
    variables,
    metaProperties: { ...settings.metaProperties, ...metaProperties },
    source: 'candela-typescript',
  });
}

/** Reads the prompt of an answer: that of `get-compiled`, or one in `entity_data` of a rule. */
export function readPrompt(value: unknown, what: string): CompiledPrompt {
  const fields = new Fields(value, what);
  return {
    promptId: fields.text('promptId'),
    versionId: fields.text('versionId'),
    name: fields.text('name'),
    version: fields.text('version'),
    tags: fields.texts('tags'),
    metaProperties: fields.record('metaProperties'),
    prompt: fields.text('prompt'),
    compiledPrompt: fields.text('compiledPrompt'),
    missing: fields.texts('missing'),
    unused: fields.texts('unused'),
    messages: fields.list('messages').map((each) => {
      const message = new Fields(each, `${what}.messages`);
      return { role: message.text('role'), content: message.text('content') };
    }),
    // Settings and formats of a later platform pass through as they are.
    modelSettings: fields.record('modelSettings') as PromptModelSettings,
    tools: fields.list('tools').map((each) => readTool(each, `${what}.tools`)),
    responseFormat: fields.isNull('responseFormat')
      ? undefined
      : (fields.record('responseFormat') as unknown as PromptResponseFormat),
  };
}

function readTool(value: unknown, what: string): PromptTool {
  const fields = new Fields(value, what);
  return {
    name: fields.text('name'),
    ...(fields.isNull('description') ? {} : { description: fields.text('description') }),
    ...(fields.isNull('parameters') ? {} : { parameters: fields.record('parameters') }),
  };
}

/** Characters that a copy takes, roughly. */
const sizeOf = ({ prompt, compiledPrompt, messages, modelSettings, tools, responseFormat }: CompiledPrompt) =>
  prompt.length +
  compiledPrompt.length +
  JSON.stringify([messages, modelSettings, tools, responseFormat]).length;

export interface PromptParts {
  readonly settings: Settings;
  readonly cache: PromptCache<CompiledPrompt>;
  readonly flights: Flights<Held<CompiledPrompt>>;
}

/** Asks the platform; a copy it confirms is used on, a copy it cannot be asked about serves meanwhile. */
async function refresh(parts: PromptParts, body: string, signal: AbortSignal): Promise<Held<CompiledPrompt>> {
  const { settings, cache } = parts;
  const { etag, bridge } = cache.known(body);
  const call: Call = {
    path: '/api/prompt/get-compiled',
    // What shipped clients of this route send; the platform reads JSON whatever it is called.
    contentType: 'text/plain;charset=UTF-8',
    body,
    etag,
  };
  try {
    // With a copy at hand nobody is kept waiting for further attempts.
    const answer = await callWithRetries(settings, call, signal, bridge ? 0 : settings.retries);
    if (answer.status === 304) {
      const kept = cache.confirm(body, 'unchanged');
      // It was dropped for others while the platform was asked: ask again, for the whole.
      return kept === undefined
        ? await refresh(parts, body, signal)
        : { value: kept, staleBecause: undefined };
    }
    const value = freeze(readPrompt(answer.body['res'], 'res'));
    cache.confirm(body, { value, etag: answer.etag, size: body.length + sizeOf(value) });
    return { value, staleBecause: undefined };
  } catch (error) {
    signal.throwIfAborted();
    return cache.failed(body, error);
  }
}

export async function getPrompt(parts: PromptParts, request: PromptRequest): Promise<PromptResult> {
  const body = bodyOf(parts.settings, request);
  request.signal?.throwIfAborted();
  const held =
    parts.cache.fresh(body) ??
    (await parts.flights.join(body, request.signal, async (signal) => refresh(parts, body, signal)));
  const { value, staleBecause } = held;
  return {
    ...value,
    spanAttributes: {
      'gen_ai.prompt.name': value.name,
      'gen_ai.prompt.version': value.version,
      'platform.prompt.id': value.promptId,
    },
    stale: staleBecause !== undefined,
    staleBecause,
  };
}
