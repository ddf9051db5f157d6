/** Items of OpenAI's Responses API that are neither messages nor parts of one. */
import type { MessagePart } from '../types.ts';
import { asText, type Budget, isRecord, type JsonRecord, member, memberText } from './builder.ts';
import { readParts } from './parts.ts';

/** Tools that the API runs itself: what they were given, and what they gave back. */
const HOSTED: ReadonlyMap<string, { readonly given: readonly string[]; readonly back: readonly string[] }> =
  new Map([
    ['web_search_call', { given: ['action', 'query'], back: ['results'] }],
    ['file_search_call', { given: ['queries'], back: ['results'] }],
    ['code_interpreter_call', { given: ['code'], back: ['outputs', 'results'] }],
    ['computer_call', { given: ['action', 'actions'], back: [] }],
    ['local_shell_call', { given: ['action'], back: [] }],
    ['shell_call', { given: ['action'], back: [] }],
    ['apply_patch_call', { given: ['operation'], back: [] }],
    ['mcp_call', { given: ['arguments'], back: ['output', 'error'] }],
    ['mcp_list_tools', { given: ['server_label'], back: ['tools'] }],
    ['mcp_approval_request', { given: ['arguments'], back: [] }],
  ]);
const CALLS: ReadonlySet<string> = new Set(['function_call', 'custom_tool_call', 'image_generation_call']);

export function isResponsesItem(value: unknown): value is JsonRecord {
  if (!isRecord(value) || member(value, 'role') !== undefined) return false;
  const type = memberText(value, 'type');
  return (
    CALLS.has(type) ||
    HOSTED.has(type) ||
    type === 'mcp_approval_response' ||
    type === 'item_reference' ||
    type.endsWith('_call_output') ||
    (type === 'reasoning' && Array.isArray(member(value, 'summary')))
  );
}

/** The parts of such an item; an empty reasoning (its text is encrypted) is none. */
export function readResponsesParts(item: JsonRecord, budget: Budget): MessagePart[] {
  const type = memberText(item, 'type');
  if (type === 'image_generation_call') return generatedImage(item, budget);
  // What was said earlier, which the API keeps: only its id is sent.
  if (type === 'item_reference')
    return [
      {
        type: 'citation',
        title: budget.text(`item_reference ${memberText(item, 'id')}`),
        uri: '',
        text: '',
      },
    ];
  const hosted = HOSTED.get(type);
  if (hosted === undefined)
    return readParts(item, budget).filter((part) => part.type !== 'reasoning' || part.text !== '');
  const first = (keys: readonly string[]): unknown =>
    keys.map((key) => member(item, key)).find((value) => value !== undefined && value !== null);
  const id = memberText(item, 'call_id', 'id').slice(0, 512);
  const name = (memberText(item, 'name') || type.replace(/_call$/, '')).slice(0, 512);
  const back = first(hosted.back);
  const failed = first(['error']) !== undefined;
  return [
    { type: 'tool_call', id, name, arguments: budget.text(asText(first(hosted.given))) },
    ...(back === undefined
      ? []
      : [
          {
            type: 'tool_result' as const,
            id,
            name,
            result: budget.text(asText(back)),
            ...(failed ? { failed } : {}),
          },
        ]),
  ];
}

function generatedImage(item: JsonRecord, budget: Budget): MessagePart[] {
  const data = memberText(item, 'result');
  const mimeType = `image/${memberText(item, 'output_format') || 'png'}`;
  const uri = data === '' || data.startsWith('data:') ? data : `data:${mimeType};base64,${data}`;
  return [{ type: 'media', modality: 'image', mimeType, uri: budget.text(uri) }];
}
