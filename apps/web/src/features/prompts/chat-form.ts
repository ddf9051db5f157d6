import type { PromptModelSettings, PromptVersionView } from '@candela/contract';
import { type PromptMessage, textOfMessages } from '@candela/contract/messages';
import { type Pair, pairsOf, propertiesOf } from '../../lib/property-text.ts';

/** What is written of a prompt before it is saved. */
export interface DraftForm {
  /** Of a plain prompt; of a chat what it was before. */
  readonly text: string;
  /** Undefined: it is a plain text. */
  readonly messages: readonly PromptMessage[] | undefined;
  readonly settings: PromptModelSettings;
  /** JSON as it is typed; empty: none. */
  readonly tools: string;
  readonly format: string;
  readonly tags: readonly string[];
  readonly pairs: readonly Pair[];
}

const jsonOf = (value: unknown): string => (value === undefined ? '' : JSON.stringify(value, null, 2));

export const formOf = (version: PromptVersionView | null): DraftForm => ({
  text: version?.messages === undefined ? (version?.prompt ?? '') : '',
  messages: version?.messages,
  settings: version?.modelSettings ?? {},
  tools: jsonOf(version?.tools),
  format: jsonOf(version?.responseFormat),
  tags: version?.tags ?? [],
  pairs: pairsOf(version?.metaProperties ?? {}),
});

/** The text that applications get, also of a chat. */
export const writtenText = ({ text, messages }: Pick<DraftForm, 'text' | 'messages'>): string =>
  messages === undefined ? text : textOfMessages(messages);

/** What is wrong with a text that has to be JSON of a kind; undefined: nothing. */
export function jsonTrouble(text: string, kind: 'list' | 'object'): string | undefined {
  if (text.trim() === '') return undefined;
  try {
    const value: unknown = JSON.parse(text);
    const fits = kind === 'list' ? Array.isArray(value) : typeof value === 'object' && !Array.isArray(value);
    return fits && value !== null ? undefined : `This is JSON, but no ${kind}.`;
  } catch {
    return 'This is no JSON yet.';
  }
}

/** What is sent of a form. Only of one whose JSON has no trouble. */
export function bodyOf(form: DraftForm) {
  const { text, messages, settings, tools, format } = form;
  const { stop = [], ...others } = settings;
  // An empty line is none.
  const stops = stop.filter((one) => one !== '');
  return {
    ...(messages === undefined ? { prompt: text } : { messages: [...messages] }),
    modelSettings: { ...others, ...(stops.length === 0 ? {} : { stop: stops }) },
    tools: (tools.trim() === '' ? [] : JSON.parse(tools)) as { name: string }[],
    responseFormat: (format.trim() === '' ? { type: 'text' } : JSON.parse(format)) as { type: 'text' },
    tags: [...form.tags],
    metaProperties: propertiesOf(form.pairs),
  };
}
