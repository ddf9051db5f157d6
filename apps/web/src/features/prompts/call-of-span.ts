import type { PromptModelSettings, SpanDetail } from '@candela/contract';
import type { PromptMessage } from '@candela/contract/messages';
import { outputFormat } from '../trace/output-format.ts';

const ROLES: Readonly<Record<string, PromptMessage['role']>> = {
  system: 'system',
  developer: 'developer',
  assistant: 'assistant',
  model: 'assistant',
};
/** Messages and tools that a prompt may have; the last ones of a longer conversation are taken. */
const MOST_MESSAGES = 200;
const MOST_TOOLS = 128;

const MOST_DESCRIPTION = 10_000;

/** Settings of a prompt, where a call has them, and between which values a prompt takes them. */
const SETTINGS = [
  ['temperature', 'gen_ai.request.temperature', 0, 2],
  ['topP', 'gen_ai.request.top_p', 0, 1],
  ['maxTokens', 'gen_ai.request.max_tokens', 1, 10_000_000],
  ['frequencyPenalty', 'gen_ai.request.frequency_penalty', -2, 2],
  ['presencePenalty', 'gen_ai.request.presence_penalty', -2, 2],
  ['seed', 'gen_ai.request.seed', Number.MIN_SAFE_INTEGER, Number.MAX_SAFE_INTEGER],
] as const;

const objectOf = (json: string): Record<string, unknown> | undefined => {
  try {
    const value: unknown = JSON.parse(json);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
};

/** A recorded model call as what a chat prompt is made of. Braces in its texts stay: they become placeholders. */
export function callOf(span: SpanDetail) {
  const { input, tools } = span.conversation;
  const said = input.map(({ role, parts }) => ({
    role: ROLES[role] ?? ('user' as const),
    content: parts.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n\n'),
    hasTools: parts.some(({ type }) => type === 'tool_call' || type === 'tool_result'),
  }));
  const messages: readonly PromptMessage[] = said
    .filter(({ content }) => content !== '')
    .map(({ role, content }) => ({ role, content }))
    .slice(-MOST_MESSAGES);
  const attributes = new Map(span.attributes.map(({ key, value }) => [key, value]));
  const model = span.requestModel ?? span.responseModel;
  const modelSettings: PromptModelSettings = {
    ...(model === null || model === undefined || model === '' ? {} : { model }),
    ...Object.fromEntries(
      SETTINGS.flatMap(([key, name, least, most]) => {
        const value = Number(attributes.get(name) ?? Number.NaN);
        return value >= least && value <= most ? [[key, value]] : [];
      }),
    ),
  };
  const offered = [...new Map(tools.map((tool) => [tool.name, tool])).values()]
    .filter(({ name }) => /^[\w.-]{1,128}$/.test(name))
    .slice(0, MOST_TOOLS)
    .map(({ name, description, parameters }) => {
      const schema = objectOf(parameters);
      return {
        name,
        ...(description === '' ? {} : { description: description.slice(0, MOST_DESCRIPTION) }),
        ...(schema === undefined ? {} : { parameters: schema }),
      };
    });
  const format = outputFormat(span);
  const schema = objectOf(format?.schema ?? '');
  return {
    messages,
    modelSettings,
    ...(offered.length === 0 ? {} : { tools: offered }),
    ...(schema === undefined
      ? {}
      : { responseFormat: { type: 'json_schema' as const, name: format?.name || 'answer', schema } }),
    leftOut: said.filter(({ hasTools }) => hasTools).length,
  };
}
