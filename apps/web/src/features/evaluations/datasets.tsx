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
  JUDGE_KEY,
} from '../../api/evaluations.ts';
import { formatCount } from '../../lib/format.ts';
import { saveFile } from '../../lib/save-stream.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { ConfirmDialog, FormDialog } from '../../ui/form.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { Table } from '../../ui/table.tsx';
import { When } from '../../ui/when.tsx';
import { useShell } from '../shell/shell-search.ts';
import { ImportDialog } from './dataset-import.tsx';
import type { EvaluationsSearch } from './evaluations-search.ts';
import { valueText } from './value-text.ts';

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
  const [leaving, setLeaving] = useState<DatasetView>();
  const remove = useApiMutation((id: string) => deleteDataset(environment, id), {
    touches: [JUDGE_KEY],
    onDone: () => setLeaving(undefined),
  });
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
          walked
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
                    <Button onClick={() => setLeaving(row)}>Delete</Button>
                  </span>
                ),
            },
          ]}
        />
      )}
      {open && <Items dataset={open} mayChange={props.mayChange} />}
      {leaving && (
        <ConfirmDialog
          title={`Delete ${leaving.name}?`}
          action="Delete"
          busy={remove.isPending}
          error={remove.error}
          onConfirm={() => remove.mutate(leaving.id)}
          onClose={() => setLeaving(undefined)}
        >
          Its items and all their revisions go with it. Experiments keep what they asked and got.
        </ConfirmDialog>
      )}
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
  const [revision, setRevision] = useState<number>();
  const items = useQuery(datasetItemsQuery(environment, dataset.id, revision));
  const isNewest = revision === undefined || revision === dataset.revision;
  return (
    <section aria-label={`Items of ${dataset.name}`}>
      <div className="mb-2 flex flex-wrap items-end gap-3">
        <h2 className="text-sm font-medium">{dataset.name}: the first 100 items</h2>
        <SelectField
          label="As of revision"
          className="w-28"
          value={String(revision ?? dataset.revision)}
          onValue={(value) => setRevision(Number(value))}
          options={Array.from({ length: Math.min(dataset.revision, 200) }, (_, at) => {
            const value = String(dataset.revision - at);
            return { value, label: value };
          })}
        />
      </div>
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
              mayChange &&
              isNewest && (
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

/** A schema as it is typed; null: none, undefined: it cannot be read. */
function schemaOf(text: string): Record<string, unknown> | null | undefined {
  if (text.trim() === '') return null;
  try {
    const value: unknown = JSON.parse(text);
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined;
  } catch {
    return undefined;
  }
}

function NewDataset({ onClose }: { onClose: () => void }) {
  const { environment } = useShell();
  const [name, setName] = useState('');
  const [description, setDescription] = useState('');
  const [schemas, setSchemas] = useState({ input: '', expected: '' });
  const [inputSchema, expectedSchema] = [schemaOf(schemas.input), schemaOf(schemas.expected)];
  const make = useApiMutation(
    () =>
      createDataset(environment, {
        name,
        description,
        inputSchema: inputSchema ?? null,
        expectedSchema: expectedSchema ?? null,
      }),
    { touches: [JUDGE_KEY], onDone: onClose },
  );
  return (
    <FormDialog
      title="New dataset"
      action="Create"
      busy={make.isPending}
      error={make.error}
      ready={name.trim() !== '' && inputSchema !== undefined && expectedSchema !== undefined}
      onSubmit={() => make.mutate(undefined)}
      onClose={onClose}
    >
      <TextField label="Name" value={name} onValue={setName} required autoFocus />
      <TextArea label="Description" value={description} onValue={setDescription} />
      <details>
        <summary className="text-sm text-muted">Schemas that items have to fit</summary>
        <div className="flex flex-col gap-3 pt-2">
          <TextArea
            label="JSON Schema of inputs"
            value={schemas.input}
            onValue={(input) => setSchemas((before) => ({ ...before, input }))}
            error={inputSchema === undefined ? 'This is no JSON object.' : undefined}
          />
          <TextArea
            label="JSON Schema of what is expected"
            value={schemas.expected}
            onValue={(expected) => setSchemas((before) => ({ ...before, expected }))}
            error={expectedSchema === undefined ? 'This is no JSON object.' : undefined}
          />
        </div>
      </details>
    </FormDialog>
  );
}
