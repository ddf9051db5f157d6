import type { Context } from '@candela/contract';
import { useQueryClient } from '@tanstack/react-query';
import { CONTEXT_KEYS, contextQuery, replaceContext } from '../../api/contexts.ts';
import { type Pair, pairsOf, propertiesOf } from '../../lib/property-text.ts';
import { type GuardedForm, useGuardedForm } from '../build/use-guarded-form.ts';
import { useShell } from '../shell/shell-search.ts';

/** What is written of a context before it is saved. */
export interface ContextForm {
  readonly name: string;
  readonly description: string;
  readonly status: Context['status'];
  readonly content: string;
  readonly tags: readonly string[];
  readonly pairs: readonly Pair[];
}

const bodyOf = (form: ContextForm) => ({
  name: form.name.trim(),
  description: form.description,
  status: form.status,
  content: form.content,
  tags: [...form.tags],
  metaProperties: propertiesOf(form.pairs),
});

/** The form of a context, saved whole under the revision that it began from. */
export function useContextForm(context: Context): GuardedForm<Context, ContextForm> {
  const { environment } = useShell();
  const client = useQueryClient();
  const askAgain = () => void client.invalidateQueries({ queryKey: CONTEXT_KEYS });
  return useGuardedForm<Context, ContextForm>({
    kept: context,
    formOf: ({ name, description, status, content, tags, metaProperties }) => ({
      name,
      description,
      status,
      content,
      tags,
      pairs: pairsOf(metaProperties),
    }),
    textOf: (form) => JSON.stringify(bodyOf(form)),
    put: (form, revision) => replaceContext(environment, context.id, { ...bodyOf(form), revision }),
    onSaved: (saved) => {
      client.setQueryData(contextQuery(environment, saved.id).queryKey, saved);
      askAgain();
    },
    onConflict: askAgain,
  });
}
