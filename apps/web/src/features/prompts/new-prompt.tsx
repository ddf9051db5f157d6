import { useState } from 'react';
import { createPromptIn, PROMPT_KEYS } from '../../api/prompts.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';
import { marksOf } from './marks.ts';

export const NAME = /^[a-z0-9][a-z0-9_.-]{0,99}$/;

export const NAME_RULE = 'Only a-z, 0-9, "_", "." and "-", the first a letter or digit.';

/** A name and a first text: a draft, to be published from its own page. */
export function NewPrompt(props: { onMade: (id: string) => void; onClose: () => void }) {
  const { environment } = useShell();
  const [name, setName] = useState('');
  const [text, setText] = useState('');
  const make = useApiMutation(createPromptIn(environment), {
    touches: [PROMPT_KEYS],
    onDone: (made) => props.onMade(made.id),
  });
  const wrong = name !== '' && !NAME.test(name);
  return (
    <FormDialog
      title="New prompt"
      action="Create draft"
      wide
      busy={make.isPending}
      error={make.error}
      ready={NAME.test(name) && text !== ''}
      onSubmit={() => make.mutate({ name, prompt: text, tags: [], metaProperties: {} })}
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
        error={wrong ? NAME_RULE : undefined}
        hint="What applications ask for. It stays as it is."
      />
      <div className="flex flex-col gap-1">
        <p className="text-sm font-medium">Text</p>
        <CodeEditor
          label="Text of the prompt"
          value={text}
          onValue={setText}
          marks={marksOf}
          placeholder={'Answer the customer in {{language}}.'}
          className="h-44"
        />
        <p className="text-sm text-muted">Variables stand in double braces.</p>
      </div>
    </FormDialog>
  );
}
