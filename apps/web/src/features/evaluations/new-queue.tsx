import { ArrowDown, ArrowUp, Plus, Trash2 } from 'lucide-react';
import { type MouseEvent, type RefObject, useRef, useState } from 'react';
import { flushSync } from 'react-dom';
import { createQueue, JUDGE_KEY } from '../../api/evaluations.ts';
import { transferFocus } from '../../lib/transfer-focus.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { CheckField, SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { TagsField } from '../../ui/tags-field.tsx';
import { useShell } from '../shell/shell-search.ts';

const KINDS = [
  { value: 'pass_fail', label: 'Pass or fail' },
  { value: 'category', label: 'One of several' },
  { value: 'number', label: 'A number' },
] as const;
const MOST_FIELDS = 10;
const MOST_OPTIONS = 9;
const MOST_REVIEWERS = 10;

interface Field {
  readonly key: number;
  readonly name: string;
  readonly kind: (typeof KINDS)[number]['value'];
  readonly options: readonly string[];
}
const blank = (key: number): Field => ({ key, name: '', kind: 'pass_fail', options: [] });

/** Names are those of scores: two fields with one name would be one. */
const isTwice = (field: Field, fields: readonly Field[]): boolean =>
  field.name.trim() !== '' && fields.some((one) => one !== field && one.name.trim() === field.name.trim());

const isComplete = (field: Field, fields: readonly Field[]): boolean =>
  field.name.trim() !== '' &&
  !isTwice(field, fields) &&
  (field.kind !== 'category' || field.options.length >= 2);

/** A new annotation queue: what reviewers are asked about each span, how many of them, and whether they see each other's labels. */
export default function NewQueue({ onClose }: { onClose: () => void }) {
  const { environment } = useShell();
  const [name, setName] = useState('');
  const [instructions, setInstructions] = useState('');
  const [reviewers, setReviewers] = useState('1');
  const [blind, setBlind] = useState(true);
  const [fields, setFields] = useState<readonly Field[]>([{ ...blank(0), name: 'quality' }]);
  const list = useRef<HTMLDivElement>(null);
  const count = Number(reviewers);
  const isCount = Number.isInteger(count) && count >= 1 && count <= MOST_REVIEWERS;
  const make = useApiMutation(
    () =>
      createQueue(environment, {
        name,
        instructions,
        reviewers: count,
        blind,
        fields: fields.map(({ name: field, kind, options }) => ({
          name: field,
          kind,
          options: kind === 'category' ? [...options] : [],
        })),
      }),
    { touches: [JUDGE_KEY], onDone: onClose },
  );
  return (
    <FormDialog
      title="New annotation queue"
      action="Create"
      wide
      busy={make.isPending}
      error={make.error}
      ready={name.trim() !== '' && isCount && fields.every((field) => isComplete(field, fields))}
      onSubmit={() => make.mutate(undefined)}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onValue={setName} required autoFocus maxLength={200} />
      <TextArea
        label="Instructions"
        value={instructions}
        onValue={setInstructions}
        maxLength={5_000}
        hint="Reviewers read them above each span."
      />
      <div ref={list} className="flex flex-col gap-3">
        {fields.map((field, at) => (
          <FieldRow
            key={field.key}
            field={field}
            at={at}
            count={fields.length}
            isTwice={isTwice(field, fields)}
            list={list}
            onChange={(next) =>
              setFields((before) => before.map((one) => (one.key === field.key ? { ...one, ...next } : one)))
            }
            onMove={(to) => setFields((before) => before.toSpliced(at, 1).toSpliced(to, 0, field))}
            onRemove={() => setFields((before) => before.filter(({ key }) => key !== field.key))}
          />
        ))}
      </div>
      {fields.length < MOST_FIELDS && (
        <Button
          className="self-start"
          onClick={() =>
            setFields((before) => [...before, blank(Math.max(...before.map(({ key }) => key)) + 1)])
          }
        >
          <Plus size={14} aria-hidden />
          Add field
        </Button>
      )}
      <TextField
        label="Reviewers of each span"
        className="w-48"
        value={reviewers}
        onValue={setReviewers}
        type="number"
        min={1}
        max={MOST_REVIEWERS}
        error={isCount ? undefined : `1 to ${MOST_REVIEWERS}.`}
      />
      <CheckField
        label="Blind"
        hint="Reviewers see the labels of others only when all are in."
        checked={blind}
        onChange={setBlind}
      />
    </FormDialog>
  );
}

/** One thing that is labelled: its name, its kind, its choices, and its place among the others. */
function FieldRow(props: {
  field: Field;
  at: number;
  count: number;
  isTwice: boolean;
  list: RefObject<HTMLDivElement | null>;
  onChange: (next: Partial<Field>) => void;
  onMove: (to: number) => void;
  onRemove: () => void;
}) {
  const { field, at, count, onChange } = props;
  const move = (event: MouseEvent<HTMLButtonElement>, to: number) => {
    if (to < 0 || to >= count) return;
    const button = event.currentTarget;
    flushSync(() => props.onMove(to));
    // A node that is put elsewhere in the page loses the focus.
    button.focus();
  };
  return (
    <fieldset className="flex min-w-0 flex-col gap-2 rounded-md border border-line p-2">
      <legend className="px-1 text-sm text-muted">Field {at + 1}</legend>
      <div className="flex flex-wrap items-start gap-2">
        <TextField
          label="Name"
          aria-label={`Name of field ${at + 1}`}
          className="min-w-40 grow"
          value={field.name}
          onValue={(name) => onChange({ name })}
          maxLength={100}
          error={props.isTwice ? 'Two fields have this name.' : undefined}
          hint={at === 0 ? 'That of the score.' : undefined}
        />
        <SelectField
          label="Answer"
          aria-label={`Answer of field ${at + 1}`}
          className="w-40"
          value={field.kind}
          onValue={(value) => {
            const kind = KINDS.find((one) => one.value === value);
            if (kind) onChange({ kind: kind.value });
          }}
          options={KINDS}
        />
        {count > 1 && (
          <span className="mt-6 flex gap-1">
            <Button
              look="plain"
              aria-label={`Move field ${at + 1} up`}
              // Disabled it would lose the focus of who moves a field to the top.
              aria-disabled={at === 0}
              onClick={(event) => move(event, at - 1)}
            >
              <ArrowUp size={14} aria-hidden />
            </Button>
            <Button
              look="plain"
              aria-label={`Move field ${at + 1} down`}
              aria-disabled={at === count - 1}
              onClick={(event) => move(event, at + 1)}
            >
              <ArrowDown size={14} aria-hidden />
            </Button>
            <Button
              look="plain"
              aria-label={`Remove field ${at + 1}`}
              onClick={(event) => {
                transferFocus(event.currentTarget, () =>
                  props.list.current?.querySelector<HTMLElement>('fieldset:last-of-type input'),
                );
                props.onRemove();
              }}
            >
              <Trash2 size={14} aria-hidden />
            </Button>
          </span>
        )}
      </div>
      {field.kind === 'category' && (
        <TagsField
          label={`Choices of field ${at + 1}`}
          hint="Two to nine; Enter or a comma ends one. Reviewers choose by the keys 1 to 9."
          tags={field.options}
          onTags={(options) => onChange({ options })}
          most={MOST_OPTIONS}
        />
      )}
    </fieldset>
  );
}
