import type { RouteId, SqlResult } from '@candela/contract';
import { z } from 'zod';
import type { Call } from './calls.ts';

/** What a tool found, before it is bounded. */
export interface ToolResult {
  readonly data: unknown;
  readonly nextCursor?: string | null;
  /** Path and query of the page that shows the same; undefined: there is none. */
  readonly page?: string;
  /** Rows that a page may draw as a table or chart. */
  readonly table?: SqlResult;
  /** A dashboard that may be imported. */
  readonly layout?: unknown;
  /** What was done, as a sentence. */
  readonly note?: string;
}

/** What a person is asked before a tool writes. */
export interface ToolCard {
  readonly title: string;
  /** A secret: its value is typed into the card. */
  readonly wantsValue?: boolean;
}

/** Who is offered a tool. */
export type ToolAudience = 'assistant' | 'mcp';

/** One thing that an agent may do. */
export interface Tool<Input extends z.ZodObject = z.ZodObject> {
  readonly id: string;
  readonly title: string;
  /** A constant, for a model. */
  readonly about: string;
  readonly input: Input;
  /** Routes that it may call; their permissions are its own. */
  readonly routes: readonly RouteId[];
  readonly effect: 'read' | 'create' | 'change' | 'delete';
  /** Its result holds what applications wrote. Default: those that read do. */
  readonly taints?: boolean;
  /** Default: both. */
  readonly audience?: readonly ToolAudience[];
  /** Of what writes: what the card says. */
  card?(input: z.output<Input>): ToolCard;
  /** What the card is about, by the name that a person knows it by. @throws not_found: there is no card */
  subject?(call: Call, input: z.output<Input>): Promise<string>;
  /** `typed`: the value that a person typed into the card. */
  run(call: Call, input: z.output<Input>, typed?: string): Promise<ToolResult>;
}

/** Whether a tool is for somebody. */
export const isFor = (tool: Tool, audience: ToolAudience): boolean =>
  tool.audience?.includes(audience) ?? true;

/** Keeps the type of the input between schema and `run`. */
export const defineTool = <Input extends z.ZodObject>(tool: Tool<Input>): Tool => tool as unknown as Tool;

/** What every tool answers. */
export const toolOutput = z.object({
  data: z.unknown(),
  truncated: z.boolean(),
  nextCursor: z.string().nullable(),
  url: z.string().nullable(),
});

export const windowInput = {
  from: z.string().max(40).optional().describe('ISO or -24h'),
  to: z.string().max(40).optional(),
};
export const filterInput = z.string().max(4_096).optional().describe('filter, see describe');

/** The address of a page with its query; what is undefined is left out. */
export function pageOf(path: string, query: Readonly<Record<string, unknown>> = {}): string {
  const search = new URLSearchParams();
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) search.set(name, String(value));
  }
  return search.size === 0 ? path : `${path}?${search}`;
}

/** The `data` and cursor of a list as routes answer it. */
export function listed(answer: unknown): Pick<ToolResult, 'data' | 'nextCursor'> {
  const { data, nextCursor } = answer as { readonly data: unknown; readonly nextCursor?: string | null };
  return { data, nextCursor: nextCursor ?? null };
}
