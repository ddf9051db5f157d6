/** Tokens of an answer in classes that do not overlap; `output` holds no reasoning. */
export interface Sent {
  readonly input: number;
  readonly cacheRead: number;
  readonly cacheWrite: number;
  readonly output: number;
  readonly reasoning: number;
}

/** An object of JSON. */
export type Json = Readonly<Record<string, unknown>>;
/** What a model says next. */
export interface Step {
  readonly tool?: { readonly name: string; readonly input: object };
  readonly text: string;
}
/** One request, in no API's shape. */
export interface Asked {
  readonly tools: readonly string[];
  /** Texts of the person, and marks of results of tools, in their order. */
  readonly told: readonly string[];
  readonly model: string;
}

/** Stands for the result of a tool. */
export const RESULT = '\0result';

interface Answering {
  readonly step: Step;
  readonly sent: Sent;
  readonly id: string;
  readonly model: string;
  readonly body: Json;
}
interface Api {
  readonly path: RegExp;
  readonly read: (body: Json, path: string) => Asked;
  /** The counts that this API can say. */
  readonly sent: (usage: Sent) => Sent;
  readonly write: (answering: Answering) => {
    readonly whole?: object;
    readonly events: readonly (readonly [event: string, data: object | string])[];
  };
}

const list = (value: unknown): Json[] => (Array.isArray(value) ? (value as Json[]) : []);
const str = (value: unknown): string => (typeof value === 'string' ? value : '');
/** All texts within. */
const textIn = (value: unknown): string => (typeof value === 'string' ? value : JSON.stringify(value ?? ''));

const anthropic: Api = {
  path: /\/messages$/,
  read: (body) => ({
    model: str(body['model']),
    tools: list(body['tools']).map((tool) => str(tool['name'])),
    told: list(body['messages'])
      .filter(({ role }) => role === 'user')
      .flatMap(({ content }) =>
        typeof content === 'string'
          ? [content]
          : list(content).map((block) => (block['type'] === 'tool_result' ? RESULT : str(block['text']))),
      ),
  }),
  sent: (usage) => ({ ...usage, cacheWrite: 200, reasoning: 0 }),
  write: ({ step, sent, id, model }) => {
    const usage = {
      input_tokens: sent.input,
      cache_read_input_tokens: sent.cacheRead,
      cache_creation_input_tokens: sent.cacheWrite,
      cache_creation: { ephemeral_5m_input_tokens: 150, ephemeral_1h_input_tokens: sent.cacheWrite - 150 },
      service_tier: 'standard',
    };
    const content: Json[] = [
      ...(step.text === '' ? [] : [{ type: 'text', text: step.text }]),
      ...(step.tool === undefined
        ? []
        : [{ type: 'tool_use', id: `toolu_${id}`, name: step.tool.name, input: step.tool.input }]),
    ];
    const stop = step.tool === undefined ? 'end_turn' : 'tool_use';
    const message = { id: `msg_${id}`, type: 'message', role: 'assistant', model, stop_sequence: null };
    return {
      whole: { ...message, content, stop_reason: stop, usage: { ...usage, output_tokens: sent.output } },
      events: [
        [
          'message_start',
          {
            type: 'message_start',
            message: { ...message, content: [], stop_reason: null, usage: { ...usage, output_tokens: 1 } },
          },
        ],
        ...content.flatMap((block, index) => [
          [
            'content_block_start',
            {
              type: 'content_block_start',
              index,
              content_block: block['type'] === 'text' ? { type: 'text', text: '' } : { ...block, input: {} },
            },
          ] as const,
          [
            'content_block_delta',
            {
              type: 'content_block_delta',
              index,
              delta:
                block['type'] === 'text'
                  ? { type: 'text_delta', text: block['text'] }
                  : { type: 'input_json_delta', partial_json: JSON.stringify(block['input']) },
            },
          ] as const,
          ['content_block_stop', { type: 'content_block_stop', index }] as const,
        ]),
        [
          'message_delta',
          {
            type: 'message_delta',
            delta: { stop_reason: stop, stop_sequence: null },
            usage: { output_tokens: sent.output },
          },
        ],
        ['message_stop', { type: 'message_stop' }],
      ],
    };
  },
};

/** OpenAI counts what came from the cache in the input, and reasoning in the output. */
const openAiUsage = (sent: Sent) => ({
  in: sent.input + sent.cacheRead,
  out: sent.output + sent.reasoning,
});

const responses: Api = {
  path: /\/responses$/,
  read: (body) => ({
    model: str(body['model']),
    tools: list(body['tools']).map((tool) => str(tool['name']) || str(tool['type'])),
    told: list(body['input']).flatMap((item) =>
      str(item['type']).endsWith('_output')
        ? [RESULT]
        : item['role'] === 'user'
          ? [textIn(item['content'])]
          : [],
    ),
  }),
  sent: (usage) => usage,
  write: ({ step, sent, id, model, body }) => {
    const usage = openAiUsage(sent);
    const custom = list(body['tools']).some(
      (tool) => tool['name'] === step.tool?.name && tool['type'] === 'custom',
    );
    const item =
      step.tool === undefined
        ? {
            type: 'message',
            id: `m${id}`,
            role: 'assistant',
            status: 'completed',
            content: [{ type: 'output_text', text: step.text, annotations: [] }],
          }
        : custom
          ? {
              type: 'custom_tool_call',
              id: `ct${id}`,
              call_id: `call_${id}`,
              name: step.tool.name,
              input: str(Reflect.get(step.tool.input, 'input')),
              status: 'completed',
            }
          : {
              type: 'function_call',
              id: `fc${id}`,
              call_id: `call_${id}`,
              name: step.tool.name,
              arguments: JSON.stringify(step.tool.input),
              status: 'completed',
            };
    const response = {
      id: `resp_${id}`,
      object: 'response',
      status: 'completed',
      model,
      output: [item],
      usage: {
        input_tokens: usage.in,
        input_tokens_details: { cached_tokens: sent.cacheRead },
        output_tokens: usage.out,
        output_tokens_details: { reasoning_tokens: sent.reasoning },
        total_tokens: usage.in + usage.out,
      },
    };
    return {
      whole: response,
      events: [
        ['response.created', { type: 'response.created', response: { id: response.id } }],
        ['response.output_item.added', { type: 'response.output_item.added', output_index: 0, item }],
        ['response.output_item.done', { type: 'response.output_item.done', output_index: 0, item }],
        ['response.completed', { type: 'response.completed', response }],
      ],
    };
  },
};

const chat: Api = {
  path: /\/chat\/completions$/,
  read: (body) => ({
    model: str(body['model']),
    tools: list(body['tools']).map((tool) => str((tool['function'] as Json | undefined)?.['name'])),
    told: list(body['messages']).flatMap(({ role, content }) =>
      role === 'tool' ? [RESULT] : role === 'user' ? [textIn(content)] : [],
    ),
  }),
  sent: (usage) => usage,
  write: ({ step, sent, id, model }) => {
    const counts = openAiUsage(sent);
    const usage = {
      prompt_tokens: counts.in,
      completion_tokens: counts.out,
      total_tokens: counts.in + counts.out,
      prompt_tokens_details: { cached_tokens: sent.cacheRead },
      completion_tokens_details: { reasoning_tokens: sent.reasoning },
    };
    const calls =
      step.tool === undefined
        ? undefined
        : [
            {
              index: 0,
              id: `call_${id}`,
              type: 'function',
              function: { name: step.tool.name, arguments: JSON.stringify(step.tool.input) },
            },
          ];
    const head = { id: `chatcmpl-${id}`, created: 1_760_000_000, model };
    const finish = calls === undefined ? 'stop' : 'tool_calls';
    const chunk = (delta: object, reason: string | null, more: object = {}) => ({
      ...head,
      object: 'chat.completion.chunk',
      choices: [{ index: 0, delta, finish_reason: reason }],
      ...more,
    });
    const message = { role: 'assistant', content: step.text, ...(calls && { tool_calls: calls }) };
    return {
      whole: {
        ...head,
        object: 'chat.completion',
        choices: [{ index: 0, message, finish_reason: finish }],
        usage,
      },
      events: [
        ['', chunk(message, null)],
        ['', chunk({}, finish, { usage })],
        ['', '[DONE]'],
      ],
    };
  },
};

const google: Api = {
  path: /:(?:streamGenerateContent|generateContent)$/,
  read: (body, path) => ({
    model: /\/models\/([^/:]+):/.exec(path)?.[1] ?? '',
    tools: list(body['tools']).flatMap((tool) =>
      list(tool['functionDeclarations']).map((one) => str(one['name'])),
    ),
    told: list(body['contents'])
      .filter(({ role }) => role !== 'model')
      .flatMap(({ parts }) =>
        list(parts).map((part) => (part['functionResponse'] === undefined ? str(part['text']) : RESULT)),
      ),
  }),
  sent: (usage) => usage,
  write: ({ step, sent, id, model }) => {
    const part =
      step.tool === undefined
        ? { text: step.text }
        : { functionCall: { name: step.tool.name, args: step.tool.input } };
    const answer = {
      responseId: `r${id}`,
      modelVersion: model,
      candidates: [{ index: 0, content: { role: 'model', parts: [part] }, finishReason: 'STOP' }],
      usageMetadata: {
        promptTokenCount: sent.input + sent.cacheRead,
        cachedContentTokenCount: sent.cacheRead,
        candidatesTokenCount: sent.output,
        thoughtsTokenCount: sent.reasoning,
        totalTokenCount: sent.input + sent.cacheRead + sent.output + sent.reasoning,
      },
    };
    return { whole: answer, events: [['', answer]] };
  },
};

/** Every API that the fake vendors have. */
export const APIS: readonly Api[] = [anthropic, responses, chat, google];
