import { useState } from 'react';
import { CONTEXT_KEYS, createContextIn } from '../../api/contexts.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';

/** A name and a text; the rest has its own page. */
export function NewContext(props: { onMade: (id: string) => void; onClose: () => void }) {
  const { environment } = useShell();
  const [name, setName] = useState('');
  const [content, setContent] = useState('');
  const make = useApiMutation(createContextIn(environment), {
    touches: [CONTEXT_KEYS],
    onDone: (made) => props.onMade(made.id),
  });
  return (
    <FormDialog
      title="New context"
      action="Create"
      wide
      busy={make.isPending}
      error={make.error}
      ready={name.trim() !== '' && content !== ''}
      onSubmit={() => make.mutate({ name: name.trim(), content })}
      onClose={props.onClose}
    >
      <TextField
        label="Name"
        required
        autoFocus
        autoComplete="off"
        maxLength={100}
        placeholder="Refund policy"
        value={name}
        onValue={setName}
      />
      <div className="flex flex-col gap-1">
        <p className="text-sm font-medium">Content</p>
        <CodeEditor
          label="Content of the context"
          value={content}
          onValue={setContent}
          placeholder="Plain text or markdown."
          className="h-44"
        />
      </div>
      <p className="text-sm text-muted">Applications get it once a rule hands it out.</p>
    </FormDialog>
  );
}
