import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { createPromptIn, PROMPT_KEYS } from '../../api/prompts.ts';
import { spanQuery } from '../../api/trace.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';
import { callOf } from './call-of-span.ts';
import ChatEditor from './chat-editor.tsx';
import { NAME, NAME_RULE } from './new-prompt.tsx';

/** A model call as the draft of a new chat prompt: its messages, settings, tools and response format. */
export default function PromptOfCall(props: {
  trace: string;
  span: string;
  onMade: (id: string) => void;
  onClose: () => void;
}) {
  const { environment } = useShell();
  const span = useQuery(spanQuery(props.trace, props.span, undefined));
  const [name, setName] = useState('');
  const [changed, setChanged] = useState<ReturnType<typeof callOf>['messages']>();
  const make = useApiMutation(createPromptIn(environment), {
    touches: [PROMPT_KEYS],
    onDone: (made) => props.onMade(made.id),
  });
  const call = span.data && callOf(span.data);
  const messages = changed ?? call?.messages ?? [];
  return (
    <FormDialog
      title="New prompt from a model call"
      action="Create draft"
      wide
      busy={make.isPending || span.isPending}
      error={make.error ?? span.error}
      ready={NAME.test(name) && messages.some(({ content }) => content.trim() !== '')}
      onSubmit={() => {
        const { leftOut: _, ...rest } = call ?? { leftOut: 0 };
        make.mutate({ name, ...rest, messages: [...messages] });
      }}
      onClose={props.onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        autoComplete="off"
        spellCheck={false}
        maxLength={100}
        placeholder="support.reply"
        value={name}
        onValue={setName}
        error={name !== '' && !NAME.test(name) ? NAME_RULE : undefined}
      />
      {call !== undefined && messages.length === 0 && (
        <p className="text-muted">This call carries no messages. Content capture may be off in the SDK.</p>
      )}
      {messages.length > 0 && (
        <div className="max-h-[50vh] overflow-auto">
          <ChatEditor messages={messages} onMessages={setChanged} />
        </div>
      )}
      {call !== undefined && (
        <p className="text-sm text-muted">
          {[
            call.modelSettings?.model,
            call.tools === undefined ? undefined : `${call.tools.length} tools`,
            call.responseFormat === undefined ? undefined : 'a response format',
          ]
            .filter((part) => part !== undefined)
            .join(', ') || 'No settings were recorded.'}
          {call.leftOut > 0 && ` Calls and results of tools are left out of ${call.leftOut} messages.`}
        </p>
      )}
    </FormDialog>
  );
}
