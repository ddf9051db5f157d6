/** Tool definitions in any provider's shape. */
import type { ToolDefinition } from '../types.ts';
import { parsed } from './attribute-json.ts';
import { asText, type Budget, isRecord, type JsonRecord, MAX_DEPTH, member, memberText } from './builder.ts';

const MAX_TOOLS = 500;

/** Reads a list of tools (JSON, list of JSON texts, `{name: tool}`); what has no name is skipped. */
export function readTools(value: unknown, budget: Budget): ToolDefinition[] {
  const content = parsed(value);
  const list: readonly unknown[] = Array.isArray(content)
    ? content
    : isRecord(content)
      ? memberText(content, 'name', 'type') === ''
        ? Object.entries(content).map(([name, tool]) => (isRecord(tool) ? { name, ...tool } : undefined))
        : [content]
      : [];
  const tools: ToolDefinition[] = [];
  for (const entry of list) {
    if (tools.length >= MAX_TOOLS) break;
    tools.push(...readTool(parsed(entry), budget));
  }
  return tools;
}

/**
 * The messages of a request without the tools that stand among them: LangChain's callback of Langfuse lists these as messages of
 * a tool, whose content is a definition.
 */
export function apartFromTools(request: unknown): { readonly messages: unknown; readonly tools: unknown[] } {
  const list = isRecord(request) ? member(request, 'messages') : request;
  if (!Array.isArray(list)) return { messages: request, tools: [] };
  const tools = (list as readonly unknown[])
    .filter(isDefinition)
    .map((item) => parsed(member(item, 'content')));
  if (tools.length === 0) return { messages: request, tools };
  const messages = (list as readonly unknown[]).filter((item) => !isDefinition(item));
  return { messages: isRecord(request) ? { ...request, messages } : messages, tools };
}

function isDefinition(item: unknown): item is JsonRecord {
  if (!isRecord(item) || member(item, 'role') !== 'tool' || member(item, 'tool_call_id') !== undefined)
    return false;
  const content = parsed(member(item, 'content'));
  if (!isRecord(content)) return false;
  const inner = member(content, 'function');
  const definition = member(content, 'type') === 'function' && isRecord(inner) ? inner : content;
  return (
    memberText(definition, 'name') !== '' &&
    ['parameters', 'input_schema', 'inputSchema'].some((key) => isRecord(member(definition, key)))
  );
}

function readTool(tool: unknown, budget: Budget, depth = 0): ToolDefinition[] {
  if (!isRecord(tool) || depth > MAX_DEPTH) return [];
  // Gemini groups its declarations.
  const group = member(tool, 'functionDeclarations') ?? member(tool, 'function_declarations');
  if (Array.isArray(group))
    return group.slice(0, MAX_TOOLS).flatMap((entry) => readTool(entry, budget, depth + 1));
  for (const wrapper of ['tool', 'function', 'toolSpec', 'json_schema']) {
    const inner = parsed(member(tool, wrapper));
    if (isRecord(inner) && (wrapper !== 'json_schema' || memberText(tool, 'name') === ''))
      return readTool(inner, budget, depth + 1);
  }
  const name = memberText(tool, 'name', 'type');
  if (name === '') return [];
  const schema =
    member(tool, 'parameters') ??
    member(tool, 'input_schema') ??
    member(tool, 'inputSchema') ??
    member(tool, 'parametersJsonSchema') ??
    member(tool, 'schema');
  return [
    {
      name: name.slice(0, 512),
      description: budget.text(memberText(tool, 'description')),
      parameters: budget.text(asText(schema)),
    },
  ];
}
