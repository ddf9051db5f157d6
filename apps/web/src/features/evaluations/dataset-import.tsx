import type { DatasetView } from '@candela/contract';
import { useState } from 'react';
import { importDataset, JUDGE_KEY } from '../../api/evaluations.ts';
import { formatCount } from '../../lib/format.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField, TextArea, TextField } from '../../ui/field.tsx';
import { FormDialog } from '../../ui/form.tsx';
import { useShell } from '../shell/shell-search.ts';
import { valueText } from './value-text.ts';

const FORMATS = [
  { value: 'jsonl', label: 'JSON lines' },
  { value: 'csv', label: 'CSV' },
  { value: 'langfuse', label: 'Langfuse' },
  { value: 'openai', label: 'OpenAI evals' },
  { value: 'promptfoo', label: 'promptfoo' },
] as const;
type Format = (typeof FORMATS)[number]['value'];

/** Characters that one call takes; what a text needs beyond them goes with the next one. */
const PART = 250_000;

/** A text of lines in parts that one call takes each, with the lines before it; other formats are whole or not at all. */
function inParts(format: Format, text: string): { readonly text: string; readonly line: number }[] {
  const isLines =
    format === 'jsonl' || format === 'openai' || (format === 'langfuse' && !/^\s*\[/.test(text));
  if (!isLines || text.length <= PART) return [{ text, line: 0 }];
  const parts: { text: string; line: number }[] = [];
  let [from, line] = [0, 0];
  while (from < text.length) {
    const end = text.length - from <= PART ? -1 : text.lastIndexOf('\n', from + PART);
    // A line that is longer than a part is refused by the server, which names it.
    const to = end <= from ? text.indexOf('\n', from + PART) : end;
    const part = to === -1 || text.length - from <= PART ? text.slice(from) : text.slice(from, to + 1);
    if (part.trim() !== '') parts.push({ text: part, line });
    line += part.split('\n').length - 1;
    from += part.length;
  }
  return parts;
}

/** A file that is read into a dataset: preview first, then all of it. Large ones of lines go in parts. */
export function ImportDialog({ dataset, onClose }: { dataset: DatasetView; onClose: () => void }) {
  const { environment } = useShell();
  const [format, setFormat] = useState<Format>('jsonl');
  const [text, setText] = useState('');
  const [input, setInput] = useState('');
  const [expected, setExpected] = useState('');
  const columns = {
    ...(input === '' ? {} : { input }),
    ...(expected === '' ? {} : { expectedOutput: expected }),
  };
  const parts = inParts(format, text);
  /** One part after the other, told as one. */
  const send = async (preview: boolean) => {
    const all: Awaited<ReturnType<typeof importDataset>> = { revision: 0, items: 0, first: [], errors: [] };
    for (const part of parts) {
      const body = { format, text: part.text, preview, columns };
      const told = await importDataset(environment, dataset.id, body);
      all.revision = told.revision;
      all.items += told.items;
      all.first.push(...told.first);
      all.errors.push(...told.errors.map((one) => ({ ...one, line: one.line + part.line })));
    }
    return all;
  };
  const look = useApiMutation(() => send(true), { touches: [] });
  const take = useApiMutation(() => send(false), { touches: [JUDGE_KEY], onDone: onClose });
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
        hint={
          parts.length > 1
            ? `Sent in ${parts.length} parts, each a revision.`
            : 'JSON lines may be of any size; other formats at most 900 kB.'
        }
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
            {formatCount(seen.items)} items. {seen.errors.length > 0 && 'Mend these lines first:'}
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
