import type { Prompt } from '@candela/contract';
import { BUMPS, type Bump, formatVersion, nextVersion, parseVersion } from '@candela/contract/version';
import { useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useState } from 'react';
import { deletePromptIn, discardDraftIn, PROMPT_KEYS } from '../../api/prompts.ts';
import { nounOf } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';
import { persistedPrompts } from './prompts-search.ts';
import type { DraftState } from './use-draft.ts';

const MEANING: Record<Bump, string> = {
  major: 'answers differ, or variables do: applications must know',
  minor: 'something is added, nothing taken away',
  patch: 'a word, a comma',
};

/** Which version it becomes; what is unsaved is saved on the way. */
export function Publish(props: { prompt: Prompt; draft: DraftState; onClose: () => void }) {
  const { prompt, draft } = props;
  const newest = parseVersion(prompt.latestVersion ?? '');
  const [bump, setBump] = useState<Bump>(newest === undefined ? 'major' : 'minor');
  const becomes = (by: Bump) => formatVersion(nextVersion(newest, by));
  const close = () => {
    // A conflict stays to be seen on the page, any other failure is over with the dialog.
    if (!draft.conflict) draft.publishing.reset();
    props.onClose();
  };
  return (
    <FormDialog
      title={`Publish ${prompt.name}`}
      action={`Publish ${becomes(bump)}`}
      busy={draft.publishing.busy}
      error={draft.publishing.error}
      ready={!draft.conflict}
      onSubmit={() => draft.publish(bump, props.onClose)}
      onClose={close}
    >
      <fieldset className="flex flex-col gap-2">
        <legend className="mb-2 text-muted">
          {newest === undefined
            ? 'The first version of this prompt.'
            : `The newest version is ${prompt.latestVersion ?? ''}.`}{' '}
          A published version never changes.
        </legend>
        {BUMPS.map((one) => (
          <label key={one} className="flex min-h-6 items-baseline gap-2">
            <input
              type="radio"
              name="bump"
              value={one}
              checked={bump === one}
              onChange={() => setBump(one)}
              className="shrink-0 accent-accent-fill"
            />
            <span className="w-14 shrink-0 first-letter:capitalize">{one}</span>
            <code className="w-20 shrink-0 font-mono text-accent">{becomes(one)}</code>
            <span className="text-sm text-muted">{MEANING[one]}</span>
          </label>
        ))}
      </fieldset>
      {draft.dirty && <p className="text-sm text-muted">What is written in the editor is saved first.</p>}
      <p className="text-sm text-muted">
        Applications that ask for the latest version get it within a second; those that ask for a label do
        when the label moves.
      </p>
    </FormDialog>
  );
}

/** Back to what is published. */
export function DiscardDraft(props: { prompt: Prompt; onDone: (now: Prompt) => void; onClose: () => void }) {
  const { prompt } = props;
  const { environment } = useShell();
  const discard = useApiMutation(discardDraftIn(environment), {
    touches: [PROMPT_KEYS],
    onDone: (now) => {
      props.onDone(now);
      props.onClose();
    },
  });
  return (
    <ConfirmDialog
      title={`Discard the draft of ${prompt.name}?`}
      action="Discard"
      busy={discard.isPending}
      error={discard.error}
      onConfirm={() => discard.mutate(prompt.id)}
      onClose={props.onClose}
    >
      <p>The draft is lost, with what is not saved. Version {prompt.latestVersion} stays as it is.</p>
    </ConfirmDialog>
  );
}

/** Away with it, and with everything that was published. */
export function DeletePrompt({ prompt, onClose }: { prompt: Prompt; onClose: () => void }) {
  const { environment } = useShell();
  const navigate = useNavigate();
  const client = useQueryClient();
  const remove = useApiMutation(deletePromptIn(environment), {
    touches: [],
    onDone: () => {
      void navigate({ to: '/prompts', search: persistedPrompts.last(), ignoreBlocker: true }).then(() =>
        client.invalidateQueries({ queryKey: PROMPT_KEYS }),
      );
    },
  });
  const labels = prompt.labels.map(({ label }) => label);
  return (
    <ConfirmDialog
      title={`Delete ${prompt.name}?`}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(prompt.id)}
      onClose={onClose}
    >
      <p>
        {prompt.versions === 0
          ? 'Its draft is'
          : `${prompt.versions} published ${nounOf(prompt.versions, 'versions')}${prompt.draft === null ? '' : ' and the draft'} are`}{' '}
        gone for good{labels.length > 0 && `, with the labels ${labels.join(', ')}`}. Applications that ask
        for {prompt.name} are told that there is none.
      </p>
    </ConfirmDialog>
  );
}
