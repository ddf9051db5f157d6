import type { DatasetItem, DatasetView } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Plus } from 'lucide-react';
import { useState } from 'react';
import {
  addDatasetItems,
  createDataset,
  datasetItemsQuery,
  datasetsQuery,
  deleteDataset,
  exportDataset,
  importDataset,
  JUDGE_KEY,
} from '../../api/evaluations.ts';
import { DASH, formatCount } from '../../lib/format.ts';
import { saveFile } from '../../lib/save-stream.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';
import type { EvaluationsSearch } from './evaluations-search.ts';

/** A value of an item in a cell: a text, or the only one of an object, as it is; anything else as JSON. */
export function valueText(value: unknown): string {
  if (value === null || value === undefined) return DASH;
  if (typeof value === 'string') return value;
  const [first, ...more] = typeof value === 'object' && !Array.isArray(value) ? Object.values(value) : [];
  return typeof first === 'string' && more.length === 0 ? first : JSON.stringify(value);
}

const FORMATS = [
  { value: 'jsonl', label: 'JSON lines' },
  { value: 'csv', label: 'CSV' },
  { value: 'langfuse', label: 'Langfuse' },
  { value: 'openai', label: 'OpenAI evals' },
  { value: 'promptfoo', label: 'promptfoo' },
] as const;
type Format = (typeof FORMATS)[number]['value'];

/** Datasets with their items, and files that are read into them. */
export function Datasets(props: {
  search: EvaluationsSearch;
  mayChange: boolean;
  onChange: (next: EvaluationsSearch) => void;
}) {
  const { environment } = useShell();
  const query = useQuery(datasetsQuery(environment));
  const [making, setMaking] = useState(false);
  const [reading, setReading] = useState<DatasetView>();
  const remove = useApiMutation((id: string) => deleteDataset(environment, id), { touches: [JUDGE_KEY] });
  const download = useApiMutation(
    ({ id, name }: { id: string; name: string }) =>
      exportDataset(environment, id).then((blob) => saveFile(blob, `${name}.jsonl`, 'application/x-ndjson')),
    { touches: [] },
  );
  if (query.isPending) return <SkeletonRows rows={4} label="Loading the datasets" />;
  if (query.isLoadingError) return <Failure error={query.error} onRetry={() => void query.refetch()} />;
  const rows = query.data ?? [];
  const open = rows.find(({ id }) => id === props.search.open);
  return (
    <div className="flex flex-col gap-3">
      {props.mayChange && (
        <Button look="primary" className="self-end" onClick={() => setMaking(true)}>
          <Plus size={14} aria-hidden />
          New dataset
        </Button>
      )}
      {rows.length === 0 ? (
        <Notice title="No datasets yet">
          A dataset holds inputs with what is expected of them. Fill it from a file, from spans, or through
          the API.
        </Notice>
      ) : (
        <Table
          label="Datasets"
          rows={rows}
          keyOf={({ id }) => id}
          empty=""
          columns={[
            {
              label: 'Dataset',
              cell: (row) => (
                <button
                  type="button"
                  className="hover:underline"
                  aria-expanded={row.id === open?.id}
                  onClick={() =>
                    props.onChange({ tab: 'datasets', ...(row.id === open?.id ? {} : { open: row.id }) })
                  }
                >
                  {row.name}
                </button>
              ),
            },
            { label: 'Items', align: 'end', cell: ({ items }) => formatCount(items) },
            { label: 'Revision', align: 'end', cell: ({ revision }) => revision },
            { label: 'Changed', cell: ({ updatedAt }) => <When time={updatedAt} /> },
            {
              label: '',
              align: 'end',
              cell: (row) =>
                props.mayChange && (
                  <span className="flex justify-end gap-2">
                    <Button onClick={() => setReading(row)}>Import …</Button>
                    <Button
                      busy={download.isPending}
                      onClick={() => download.mutate({ id: row.id, name: row.name })}
                    >
                      Export
                    </Button>
                    <Button busy={remove.isPending} onClick={() => remove.mutate(row.id)}>
                      Delete
                    </Button>
                  </span>
                ),
            },
          ]}
        />
      )}
      {open && <Items dataset={open} mayChange={props.mayChange} />}
      {making && <NewDataset onClose={() => setMaking(false)} />}
      {reading && <ImportDialog dataset={reading} onClose={() => setReading(undefined)} />}
    </div>
  );
}

function Items({ dataset, mayChange }: { dataset: DatasetView; mayChange: boolean }) {
  const { environment } = useShell();
  // What an item is stays; experiments of revisions before still have it.
  const put = useApiMutation(
    (item: DatasetItem) => {
      const { updatedAt: _, ...kept } = item;
      return addDatasetItems(environment, dataset.id, { items: [kept] });
    },
    { touches: [JUDGE_KEY] },
  );
  const items = useQuery(datasetItemsQuery(environment, dataset.id));
  return (
    <section aria-label={`Items of ${dataset.name}`}>
      <h2 className="text-sm font-medium">
        {dataset.name}, revision {dataset.revision}: the first 100 items
      </h2>
      <ErrorLine error={put.error} />
      <Table
        label="Items"
        rows={items.data ?? []}
        keyOf={({ id }) => id}
        empty="No items yet."
        isPast={({ status }) => status === 'ARCHIVED'}
        columns={[
          { label: 'Id', cell: ({ id }) => <code className="text-xs">{id.slice(0, 24)}</code> },
          {
            label: 'Input',
            cell: ({ input }) => (
              <span className="line-clamp-3 min-w-40 whitespace-normal wrap-anywhere">
                {valueText(input)}
              </span>
            ),
          },
          {
            label: 'Expected',
            cell: ({ expectedOutput }) => (
              <span className="line-clamp-3 min-w-40 whitespace-normal wrap-anywhere">
                {valueText(expectedOutput)}
              </span>
            ),
          },
          {
            label: '',
            align: 'end',
            cell: (item) =>
              mayChange && (
                <Button
                  busy={put.isPending && put.variables?.id === item.id}
                  onClick={() =>
                    put.mutate({ ...item, status: item.status === 'ACTIVE' ? 'ARCHIVED' : 'ACTIVE' })
                  }
                >
                  {item.status === 'ACTIVE' ? 'Archive' : 'Take back'}
                </Button>
              ),
          },
        ]}
      />
    </section>
  );
}

function NewDataset({ onClose }: { onClose: () => void }) {
  const { environment } = useShell();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const make = useApiMutation(() => createDataset(environment, { name, description }), {
    touches: [JUDGE_KEY],
    onDone: onClose,
  });
  return (
    <FormDialog
      title="New dataset"
      action="Create"
      busy={make.isPending}
      error={make.error}
      ready={name.trim() !== ''}
      onSubmit={() => make.mutate(undefined)}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onValue={setName} required autoFocus />
      <TextArea label="Description" value={description} onValue={setDescription} />
    </FormDialog>
  );
}

function ImportDialog({ dataset, onClose }: { dataset: DatasetView; onClose: () => void }) {
  const { environment } = useShell();
  const [format, setFormat] = useState<Format>('jsonl');
  const [text, setText] = useState('');
  const [input, setInput] = useState('');
  const [expected, setExpected] = useState('');
  const body = (preview: boolean) => ({
    format,
    text,
    preview,
    columns: {
      ...(input === '' ? {} : { input }),
      ...(expected === '' ? {} : { expectedOutput: expected }),
    },
  });
  const look = useApiMutation(() => importDataset(environment, dataset.id, body(true)), { touches: [] });
  const take = useApiMutation(() => importDataset(environment, dataset.id, body(false)), {
    touches: [JUDGE_KEY],
    onDone: onClose,
  });
  const seen = look.data;
  return (
    <FormDialog
      title={`Import into ${dataset.name}`}
      action="Import"
      wide
      busy={take.isPending}
      error={take.error ?? look.error}
      ready={text !== '' && seen !== undefined && seen.errors.length === 0}
      onSubmit={() => take.mutate(undefined)}
      onClose={onClose}
    >
      <SelectField
        label="Format"
        value={format}
        onValue={(value) => setFormat(FORMATS.find((one) => one.value === value)?.value ?? 'jsonl')}
        options={FORMATS}
      />
      {format === 'csv' && (
        <>
          <TextField
            label="Column of the input"
            value={input}
            onValue={setInput}
            hint="Empty: all columns."
          />
          <TextField label="Column of what is expected" value={expected} onValue={setExpected} />
        </>
      )}
      <TextArea
        label="Content"
        value={text}
        onValue={setText}
        rows={8}
        hint="At most 900 kB at a time; larger files in parts."
      />
      <input
        type="file"
        aria-label="File"
        onChange={(event) => void event.target.files?.[0]?.text().then(setText)}
      />
      <Button busy={look.isPending} onClick={() => look.mutate(undefined)}>
        Preview
      </Button>
      {seen && (
        <div role="status" className="text-sm">
          <p>
            {seen.items} items. {seen.errors.length > 0 && 'Mend these lines first:'}
          </p>
          {seen.errors.slice(0, 10).map(({ line, message }) => (
            <p key={`${line} ${message}`} className="text-danger">
              Line {line}: {message}
            </p>
          ))}
          {seen.first.slice(0, 3).map((item) => (
            <pre key={item.id} className="overflow-x-auto text-xs">
              {valueText(item.input)} → {valueText(item.expectedOutput)}
            </pre>
          ))}
        </div>
      )}
    </FormDialog>
  );
}
