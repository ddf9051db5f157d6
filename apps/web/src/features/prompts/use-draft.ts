import type { Prompt } from '@candela/contract';
import type { Bump } from '@candela/contract/version';
import { useMutation, useQueryClient } from '@tanstack/react-query';
import { PROMPT_KEYS, promptQuery, publishIn, saveDraftIn } from '../../api/prompts.ts';
import { propertiesOf } from '../../lib/property-text.ts';
import { type GuardedForm, useGuardedForm } from '../build/use-guarded-form.ts';
import { useShell } from '../shell/shell-search.ts';
import { bodyOf, type DraftForm, formOf, writtenText } from './chat-form.ts';

/** The draft, else what the newest version holds: a change begins from there. */
export const contentOf = (prompt: Prompt): DraftForm => formOf(prompt.draft ?? prompt.latest);

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
    textOf: (form) => JSON.stringify({ ...form, text: writtenText(form), pairs: propertiesOf(form.pairs) }),
    put: (form, revision) =>
      saveDraftIn(environment)({
        id: prompt.id,
        ...bodyOf(form),
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
