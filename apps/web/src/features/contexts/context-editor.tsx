import type { Context } from '@candela/contract';
import { useQueryClient } from '@tanstack/react-query';
import { Link, useNavigate } from '@tanstack/react-router';
import { useDeferredValue, useState } from 'react';
import { CONTEXT_KEYS, deleteContextIn } from '../../api/contexts.ts';
import { nounOf } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { PairsField } from '../../ui/pairs-field.tsx';
import { Split } from '../../ui/split.tsx';
import { Table } from '../../ui/table.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { TextBlock } from '../../ui/text-block.tsx';
import { Conflict } from '../build/conflict.tsx';
import { SaveBar } from '../build/save-bar.tsx';
import type { GuardedForm } from '../build/use-guarded-form.ts';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { persistedContexts } from './contexts-search.ts';
import type { ContextForm } from './use-context-form.ts';

/** Where a context is written; beside it how it reads, and the rules that hand it out. */
export function ContextEditor(props: { context: Context; guarded: GuardedForm<Context, ContextForm> }) {
  const { context, guarded } = props;
  const { can } = useWhoAsks();
  const mayWrite = can('member');
  const { form } = guarded;
  const read = useDeferredValue(form.content);
  const [deleting, setDeleting] = useState(false);
  const canSave =
    mayWrite && guarded.dirty && !guarded.busy && form.content !== '' && form.name.trim() !== '';
  useHotkey('mod+s', () => canSave && guarded.save(), {
    label: 'Save the context',
    group: 'Context',
    enabled: mayWrite,
  });
  return (
    <>
      <Split
        left={
          <div className="flex min-h-0 grow flex-col">
            <SaveBar
              saved={context}
              dirty={guarded.dirty}
              mayWrite={mayWrite}
              canSave={canSave}
              onSave={() => guarded.save()}
            />
            <div className="flex min-h-0 grow flex-col gap-3 overflow-auto p-3">
              {guarded.conflict && (
                <Conflict
                  noun="context"
                  theirs={{ text: context.content, by: context.updatedBy, at: context.updatedAt }}
                  mine={form.content}
                  busy={guarded.busy}
                  onMine={() => guarded.save(true)}
                  onTheirs={() => guarded.restart(context)}
                />
              )}
              <ErrorLine error={guarded.error} />
              <div className="grid shrink-0 grid-cols-[1fr_8rem] gap-3">
                <TextField
                  label="Name"
                  required
                  maxLength={100}
                  disabled={!mayWrite}
                  value={form.name}
                  onValue={(name) => guarded.change({ name })}
                />
                <SelectField
                  label="Status"
                  disabled={!mayWrite}
                  value={form.status}
                  onValue={(status) =>
                    guarded.change({ status: status === 'ACTIVE' ? 'ACTIVE' : 'INACTIVE' })
                  }
                  options={[
                    { value: 'ACTIVE', label: 'active' },
                    { value: 'INACTIVE', label: 'inactive' },
                  ]}
                />
              </div>
              <CodeEditor
                label="Content of the context"
                value={form.content}
                onValue={mayWrite ? (content) => guarded.change({ content }) : undefined}
                placeholder="Plain text or markdown."
                className="min-h-60 grow"
              />
              <TextArea
                label="Description"
                rows={2}
                maxLength={2_000}
                disabled={!mayWrite}
                value={form.description}
                onValue={(description) => guarded.change({ description })}
                hint="For people: what it is for."
              />
              <div className="grid shrink-0 gap-4 xl:grid-cols-2">
                <TagsField
                  label="Tags"
                  tags={form.tags}
                  onTags={(tags) => guarded.change({ tags })}
                  disabled={!mayWrite}
                />
                <PairsField
                  label="Properties"
                  pairs={form.pairs}
                  onPairs={(pairs) => guarded.change({ pairs })}
                  disabled={!mayWrite}
                />
              </div>
              {mayWrite && (
                <Button look="danger" className="shrink-0 self-start" onClick={() => setDeleting(true)}>
                  Delete the context
                </Button>
              )}
            </div>
          </div>
        }
        right={
          <div className="flex h-full flex-col gap-4 overflow-auto p-3">
            <section aria-label="Used by" className="flex flex-col gap-1">
              <h2 className="font-medium">
                Used by{' '}
                <span className="text-sm font-normal text-muted">
                  {context.usedBy.length} {nounOf(context.usedBy.length, 'rules')}
                </span>
              </h2>
              <Table
                label="Rules"
                rows={context.usedBy}
                keyOf={(rule) => rule.id}
                empty="No rule hands it out yet: no application gets it."
                columns={[
                  {
                    label: 'Rule',
                    cell: (rule) => (
                      <Link to="/rules/$rule" params={{ rule: rule.id }} className="hover:underline">
                        {rule.name}
                      </Link>
                    ),
                  },
                  {
                    label: 'Status',
                    cell: (rule) => (
                      <Badge tone={rule.status === 'ACTIVE' ? 'ok' : 'plain'}>
                        {rule.status.toLowerCase()}
                      </Badge>
                    ),
                  },
                  { label: 'Priority', align: 'end', cell: (rule) => rule.priority },
                ]}
              />
            </section>
            <section aria-label="As it reads" className="flex min-w-0 flex-col gap-1">
              <h2 className="font-medium">As it reads</h2>
              <div className="rounded-md border border-line bg-surface p-3">
                <TextBlock text={read} />
              </div>
            </section>
          </div>
        }
      />
      {deleting && <DeleteContext context={context} onClose={() => setDeleting(false)} />}
    </>
  );
}

/** Away with it: names the rules that go without it from then on. */
function DeleteContext({ context, onClose }: { context: Context; onClose: () => void }) {
  const { environment } = useShell();
  const navigate = useNavigate();
  const client = useQueryClient();
  const remove = useApiMutation(deleteContextIn(environment), {
    touches: [],
    onDone: () =>
      void navigate({ to: '/contexts', search: persistedContexts.last(), ignoreBlocker: true }).then(() =>
        client.invalidateQueries({ queryKey: CONTEXT_KEYS }),
      ),
  });
  const rules = context.usedBy.map(({ name }) => name);
  return (
    <ConfirmDialog
      title={`Delete ${context.name}?`}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(context.id)}
      onClose={onClose}
    >
      <p>
        Its {context.version} {nounOf(context.version, 'versions')} are gone for good.
      </p>
      {rules.length > 0 && (
        <p>
          {rules.slice(0, 10).join(', ')} {rules.length === 1 ? 'hands' : 'hand'} it out now: applications no
          longer get it from there.
        </p>
      )}
    </ConfirmDialog>
  );
}
