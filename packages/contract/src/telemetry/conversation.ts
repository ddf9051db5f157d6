import type { Conversation } from '@candela/semconv';
import { z } from 'zod';

const part = z.discriminatedUnion('type', [
  z.object({ type: z.literal('text'), text: z.string() }),
  z.object({ type: z.literal('reasoning'), text: z.string() }),
  z.object({ type: z.literal('refusal'), text: z.string() }),
  z.object({ type: z.literal('citation'), title: z.string(), uri: z.string(), text: z.string() }),
  z.object({ type: z.literal('tool_call'), id: z.string(), name: z.string(), arguments: z.string() }),
  z.object({
    type: z.literal('tool_result'),
    id: z.string(),
    name: z.string(),
    result: z.string(),
    failed: z.literal(true).exactOptional().meta({ description: 'The tool says that it failed.' }),
  }),
  z.object({ type: z.literal('media'), modality: z.string(), mimeType: z.string(), uri: z.string() }),
  z.object({ type: z.literal('json'), json: z.string() }),
]);

export const messageSchema = z.object({
  role: z.string().meta({ examples: ['system', 'user', 'assistant', 'tool'] }),
  name: z.string().exactOptional(),
  finishReason: z.string().exactOptional(),
  parts: z.array(part).readonly(),
});

const number = z.number().optional();

const shape = z
  .object({
    input: z.array(messageSchema).readonly(),
    output: z.array(messageSchema).readonly(),
    tools: z
      .array(z.object({ name: z.string(), description: z.string(), parameters: z.string() }))
      .readonly(),
    toolExecution: z
      .object({ callId: z.string(), arguments: z.string(), result: z.string() })
      .optional()
      .meta({ description: 'Arguments and result of a tool execution span.' }),
    retrievedDocuments: z.array(z.object({ id: z.string(), content: z.string(), score: number })).readonly(),
    scores: z
      .array(
        z.object({
          name: z.string(),
          value: number,
          label: z.string(),
          explanation: z.string(),
          idempotencyKey: z.string(),
        }),
      )
      .readonly(),
  })
  .meta({ id: 'Conversation' });

/**
 * The normalised conversation of a span, one shape for every convention. Its type is semconv's: zod can only say
 * `score?: number` where semconv says `score: number | undefined`, which on the wire is the same.
 */
export const conversationSchema = shape as unknown as z.ZodType<Conversation>;
