import { useMutation } from '@tanstack/react-query';
import { useState } from 'react';
import { ApiError } from '../../api/client.ts';

/** What the server keeps under a revision that goes up with every change. */
interface Revised {
  readonly revision: number;
}

export interface GuardedForm<Kept extends Revised, Form> {
  readonly form: Form;
  change(next: Partial<Form>): void;
  /** There is something that is not saved. */
  readonly dirty: boolean;
  /** Somebody else saved since the form was filled, and it was refused to write over them. */
  readonly conflict: boolean;
  readonly busy: boolean;
  readonly error: unknown;
  /** Saves the form; over what somebody else saved only when told so. */
  save(over?: boolean): void;
  /** Saves what is unsaved, and gives the revision to go on from. */
  settle(): Promise<number>;
  /** A step that followed from what is written here made another revision. */
  went(on: Revised): void;
  /** A step of its own was refused: a conflict shows as one of saving does. */
  refused(error: unknown): void;
  /** Begins anew from what the server has; what is written here is let go of. */
  restart(from: Kept): void;
}

const isConflict = (error: unknown): boolean => error instanceof ApiError && error.status === 409;

/**
 * The form of a thing that several people may write. Until something is written it follows the server; afterwards it
 * stays as it is, and saving says which revision it began from, so that nobody is written over unseen.
 */
export function useGuardedForm<Kept extends Revised, Form extends object>(options: {
  readonly kept: Kept;
  formOf(kept: Kept): Form;
  /** What counts of a form, as one text: equal texts are nothing to save. */
  textOf(form: Form): string;
  put(form: Form, revision: number): Promise<Kept>;
  /** Hears what the server has now. */
  onSaved(kept: Kept): void;
  /** Asks the server for what it has: somebody else saved. */
  onConflict(): void;
}): GuardedForm<Kept, Form> {
  const { kept, formOf, textOf } = options;
  const [base, setBase] = useState(() => ({ revision: kept.revision, form: formOf(kept) }));
  const [form, setForm] = useState(base.form);
  const [clash, setClash] = useState(false);
  const dirty = textOf(form) !== textOf(base.form);
  const begin = (from: Kept) => {
    const now = formOf(from);
    setBase({ revision: from.revision, form: now });
    setForm(now);
    setClash(false);
  };
  if (base.revision < kept.revision && !dirty) begin(kept);

  const refused = (error: unknown) => {
    if (!isConflict(error)) return;
    setClash(true);
    options.onConflict();
  };
  const put = async (revision: number): Promise<number> => {
    const sent = form;
    const saved = await options.put(sent, revision);
    // What was typed while it was under way is still to be saved.
    setBase({ revision: saved.revision, form: sent });
    setClash(false);
    options.onSaved(saved);
    return saved.revision;
  };
  const saving = useMutation({ mutationFn: put, onError: refused });
  // Seen to be one only once the server has told what it has: a taken name is another conflict.
  const conflict = clash && dirty && base.revision !== kept.revision;
  return {
    form,
    change: (next) => setForm((before) => ({ ...before, ...next })),
    dirty,
    conflict,
    busy: saving.isPending,
    error: conflict ? undefined : saving.error,
    save: (over = false) => saving.mutate(over ? kept.revision : base.revision),
    settle: async () => (dirty ? put(base.revision) : base.revision),
    went: (on) => setBase((before) => ({ ...before, revision: on.revision })),
    refused,
    restart: (from) => {
      saving.reset();
      begin(from);
    },
  };
}
