import type { Prompt } from '@candela/contract';
import type { Bump } from '@candela/contract/version';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { PROMPT_KEYS, promptQuery, publishIn, saveDraftIn } from '../../api/prompts.ts';
import { type Pair, pairsOf, propertiesOf } from '../../lib/property-text.ts';
import { type GuardedForm, useGuardedForm } from '../build/use-guarded-form.ts';
import { useShell } from '../shell/shell-search.ts';

/** What is written of a prompt before it is saved. */
export interface DraftForm {
  readonly text: string;
  readonly tags: readonly string[];
  readonly pairs: readonly Pair[];
}

/** The draft, else what the newest version holds: a change begins from there. */
export function contentOf(prompt: Prompt): DraftForm {
  const content = prompt.draft ?? prompt.latest;
  return {
    text: content?.prompt ?? '',
    tags: content?.tags ?? [],
    pairs: pairsOf(content?.metaProperties ?? {}),
  };
}

export interface DraftState extends GuardedForm<Prompt, DraftForm> {
  /** Saves what is unsaved, then publishes. */
  publish(bump: Bump, onDone: () => void): void;
  readonly publishing: { readonly busy: boolean; readonly error: unknown; reset(): void };
}

/** The form of a prompt's draft, saved and published under the revision that it began from. */
export function useDraft(prompt: Prompt): DraftState {
  const { environment } = useShell();
  const client = useQueryClient();
  const askAgain = () => void client.invalidateQueries({ queryKey: PROMPT_KEYS });
  const know = (now: Prompt) => {
    client.setQueryData(promptQuery(environment, now.id).queryKey, now);
    askAgain();
  };
  const guarded = useGuardedForm<Prompt, DraftForm>({
    kept: prompt,
    formOf: contentOf,
    textOf: (form) => JSON.stringify([form.text, form.tags, propertiesOf(form.pairs)]),
    put: (form, revision) =>
      saveDraftIn(environment)({
        id: prompt.id,
        prompt: form.text,
        tags: [...form.tags],
        metaProperties: propertiesOf(form.pairs),
        revision,
      }),
    onSaved: know,
    onConflict: askAgain,
  });
  const publishing = useMutation({
    mutationFn: async (bump: Bump) => {
      const revision = await guarded.settle();
      const published = await publishIn(environment)({ id: prompt.id, bump, revision });
      guarded.went(published);
      know(published);
    },
    onError: guarded.refused,
  });
  return {
    ...guarded,
    busy: guarded.busy || publishing.isPending,
    publish: (bump, onDone) => publishing.mutate(bump, { onSuccess: onDone }),
    publishing: { busy: publishing.isPending, error: publishing.error, reset: publishing.reset },
  };
}
