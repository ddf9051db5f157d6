import type { Rule } from '@candela/contract';
import { type Rule as Definition, validate } from '@candela/rules';
import { keepPreviousData, useQuery, useQueryClient } from '@tanstack/react-query';
import { useNavigate } from '@tanstack/react-router';
import { useMemo, useState } from 'react';
import { deleteRuleIn, RULE_KEYS, rulePreviewQuery } from '../../api/rules.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { useDebounced } from '../../lib/use-debounced.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { ConfirmDialog } from '../../ui/form.tsx';
import { Split } from '../../ui/split.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import { Conflict } from '../build/conflict.tsx';
import { SaveBar } from '../build/save-bar.tsx';
import type { GuardedForm } from '../build/use-guarded-form.ts';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { ConditionGroups } from './condition-groups.tsx';
import { LinksField } from './links-field.tsx';
import { PreviewPanel } from './preview-panel.tsx';
import { persistedRules, RULE_VIEWS, type RuleSearch } from './rules-search.ts';
import { TryPanel } from './try-panel.tsx';
import { isPriority, type RuleForm, textOfRule } from './use-rule-form.ts';

/** Typing rests for this long before the spans are asked. */
const DEBOUNCE_MS = 300;
const NEWEST = 10;
const LABELS = { preview: 'Preview', try: 'Try it' } as const;
const EXAMPLE = '{\n  "model": "gpt-4o",\n  "user_tier": "gold"\n}';

/** Where a rule is written; beside it what it matches, and a dry run. */
export default function RuleEditor(props: {
  rule: Rule;
  guarded: GuardedForm<Rule, RuleForm>;
  search: RuleSearch;
  onSearch: (next: { [Key in keyof RuleSearch]?: RuleSearch[Key] | undefined }) => void;
}) {
  const { rule, guarded, search } = props;
  const { form } = guarded;
  const { can } = useWhoAsks();
  const { environment, window } = useShell();
  const mayWrite = can('member');
  const [tried, setTried] = useState(EXAMPLE);
  const [deleting, setDeleting] = useState(false);
  const { groupOperator, groups } = form;
  const definition = useMemo((): Definition => ({ groupOperator, groups }), [groupOperator, groups]);
  const troubles = useMemo(() => validate(definition), [definition]);
  const idle =
    definition.groups.length === 0
      ? 'Add a condition, and what it matches shows here.'
      : troubles.length > 0
        ? 'Complete the conditions, and what they match shows here.'
        : undefined;
  const asked = useDebounced({ definition, valid: idle === undefined }, DEBOUNCE_MS, (one) =>
    JSON.stringify(one),
  );
  const preview = useQuery({
    ...rulePreviewQuery(environment, window, asked.definition, NEWEST),
    enabled: asked.valid,
    placeholderData: keepPreviousData,
  });
  // Counts belong to the conditions they were asked for: while others are being written they would mislead.
  const current =
    idle === undefined &&
    JSON.stringify(asked.definition) === JSON.stringify(definition) &&
    !preview.isPlaceholderData;
  const canSave =
    mayWrite &&
    guarded.dirty &&
    !guarded.busy &&
    form.name.trim() !== '' &&
    isPriority(form.priority) &&
    troubles.length === 0;
  useHotkey('mod+s', () => canSave && guarded.save(), {
    label: 'Save the rule',
    group: 'Rule',
    enabled: mayWrite,
  });
  const view = search.view ?? 'preview';
  return (
    <>
      <Split
        left={
          <div className="flex min-h-0 grow flex-col">
            <SaveBar
              saved={rule}
              dirty={guarded.dirty}
              mayWrite={mayWrite}
              canSave={canSave}
              onSave={() => guarded.save()}
            />
            <div className="flex min-h-0 grow flex-col gap-4 overflow-auto p-3">
              {guarded.conflict && (
                <Conflict
                  noun="rule"
                  theirs={{ text: textOfRule(rule), by: rule.updatedBy, at: rule.updatedAt }}
                  mine={textOfRule(form)}
                  busy={guarded.busy}
                  onMine={() => guarded.save(true)}
                  onTheirs={() => guarded.restart(rule)}
                />
              )}
              <ErrorLine error={guarded.error} />
              {rule.problem !== null && (
                <p role="alert" className="rounded-md border border-danger/50 p-2 text-sm">
                  This rule cannot be used as it is stored, and matches nothing: {rule.problem}
                </p>
              )}
              <Head form={form} disabled={!mayWrite} onChange={guarded.change} />
              <ConditionGroups
                rule={definition}
                troubles={troubles}
                counts={current ? preview.data?.conditions : undefined}
                disabled={!mayWrite}
                onChange={guarded.change}
              />
              <LinksField
                links={form.links}
                disabled={!mayWrite}
                onLinks={(links) => guarded.change({ links })}
              />
              {mayWrite && (
                <Button look="danger" className="shrink-0 self-start" onClick={() => setDeleting(true)}>
                  Delete the rule
                </Button>
              )}
            </div>
          </div>
        }
        right={
          <div className="flex h-full flex-col">
            <div className="shrink-0 border-b border-line px-1">
              <TabList
                id="rule"
                label="Beside the rule"
                tabClassName="h-11 px-3"
                tabs={RULE_VIEWS.map((one) => ({ value: one, label: LABELS[one] }))}
                value={view}
                onChoose={(one) => props.onSearch({ view: one === 'preview' ? undefined : one })}
              />
            </div>
            <TabPanel id="rule" value={view} className="min-h-0 grow overflow-auto p-3 -outline-offset-2">
              {view === 'preview' ? (
                <PreviewPanel
                  idle={idle}
                  preview={preview.data}
                  fetching={preview.isFetching}
                  error={preview.error}
                  onWhy={({ traceId, spanId }) =>
                    props.onSearch({ view: 'try', span: `${traceId}.${spanId}` })
                  }
                />
              ) : (
                <TryPanel
                  idle={idle}
                  rule={definition}
                  text={tried}
                  onText={setTried}
                  span={search.span}
                  onSpan={(span) => props.onSearch({ span })}
                />
              )}
            </TabPanel>
          </div>
        }
      />
      {deleting && <DeleteRule rule={rule} onClose={() => setDeleting(false)} />}
    </>
  );
}

function Head(props: { form: RuleForm; disabled: boolean; onChange: (next: Partial<RuleForm>) => void }) {
  const { form, disabled, onChange } = props;
  return (
    <div className="flex shrink-0 flex-col gap-3">
      <div className="grid grid-cols-[1fr_7rem_6rem] gap-3 max-sm:grid-cols-2">
        <TextField
          label="Name"
          className="max-sm:col-span-2"
          required
          maxLength={100}
          disabled={disabled}
          value={form.name}
          onValue={(name) => onChange({ name })}
        />
        <SelectField
          label="Status"
          disabled={disabled}
          value={form.status}
          onValue={(status) => onChange({ status: status === 'ACTIVE' ? 'ACTIVE' : 'INACTIVE' })}
          options={[
            { value: 'ACTIVE', label: 'active' },
            { value: 'INACTIVE', label: 'inactive' },
          ]}
        />
        <TextField
          label="Priority"
          inputMode="numeric"
          maxLength={8}
          disabled={disabled}
          title="Matching rules are answered in this order, the lowest first"
          value={form.priority}
          error={isPriority(form.priority) ? undefined : 'A whole number.'}
          onValue={(priority) => onChange({ priority })}
        />
      </div>
      <TextArea
        label="Description"
        rows={2}
        maxLength={2_000}
        disabled={disabled}
        value={form.description}
        onValue={(description) => onChange({ description })}
      />
    </div>
  );
}

/** Away with it: names what is no longer handed out. */
function DeleteRule({ rule, onClose }: { rule: Rule; onClose: () => void }) {
  const { environment } = useShell();
  const navigate = useNavigate();
  const client = useQueryClient();
  const remove = useApiMutation(deleteRuleIn(environment), {
    touches: [],
    onDone: () =>
      void navigate({ to: '/rules', search: persistedRules.last(), ignoreBlocker: true }).then(() =>
        client.invalidateQueries({ queryKey: RULE_KEYS }),
      ),
  });
  const names = rule.links.map(({ name, entityId }) => name ?? entityId);
  return (
    <ConfirmDialog
      title={`Delete ${rule.name}?`}
      action="Delete"
      busy={remove.isPending}
      error={remove.error}
      onConfirm={() => remove.mutate(rule.id)}
      onClose={onClose}
    >
      <p>The rule is gone for good. What it hands out stays.</p>
      {names.length > 0 && <p>Applications no longer get {names.slice(0, 10).join(', ')} from it.</p>}
    </ConfirmDialog>
  );
}
