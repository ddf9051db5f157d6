import { useInfiniteQuery, useQuery, useQueryClient } from '@tanstack/react-query';
import { useState } from 'react';
import { promptsQuery, promptVersionQuery, promptVersionsQuery } from '../../api/prompts.ts';
import { ErrorLine } from '../../ui/error-line.tsx';
import { SelectField } from '../../ui/field.tsx';
import { useShell } from '../shell/shell-search.ts';
import { callOfVersion, type Column, messagesOfVersion } from './column.ts';

/**
 * What a column begins with: messages written here, or a version of a managed prompt, which brings its tools, form of
 * the answer and settings along. Given up again, its messages stay to be changed.
 */
export function PromptChoice(props: { column: Column; onChange: (next: Partial<Column>) => void }) {
  const { environment } = useShell();
  const client = useQueryClient();
  const { prompt } = props.column;
  const prompts = useInfiniteQuery(promptsQuery(environment, { q: '', tag: '' }));
  const [error, setError] = useState<unknown>();
  const all = (prompts.data?.pages ?? []).flatMap(({ data }) => data);
  const published = all.filter(({ latestVersion }) => latestVersion !== null);
  const choose = async (id: string, version: string) => {
    setError(undefined);
    try {
      if (id !== '') {
        const chosen = await client.ensureQueryData(promptVersionQuery(environment, id, version));
        const written = prompt === undefined ? { messages: [] } : {};
        props.onChange({ prompt: { id, version }, ...written, ...callOfVersion(chosen) });
      } else if (prompt !== undefined) {
        const left = await client.ensureQueryData(promptVersionQuery(environment, prompt.id, prompt.version));
        props.onChange({
          prompt: undefined,
          messages: [...messagesOfVersion(left), ...props.column.messages],
        });
      }
    } catch (thrown) {
      setError(thrown);
    }
  };
  if (published.length === 0 && prompt === undefined) return null;
  return (
    <>
      <div className="flex gap-2">
        <SelectField
          label="Prompt"
          className="min-w-0 grow"
          value={prompt?.id ?? ''}
          onValue={(id) => void choose(id, 'latest')}
          options={[
            { value: '', label: 'Messages written here' },
            ...(prompt === undefined || published.some(({ id }) => id === prompt.id)
              ? []
              : [{ value: prompt.id, label: 'A prompt that is no longer there' }]),
            ...published.map(({ id, name }) => ({ value: id, label: name })),
          ]}
        />
        {prompt && <VersionField {...prompt} onVersion={(version) => void choose(prompt.id, version)} />}
      </div>
      <ErrorLine error={error} />
      {prompt && <Shown {...prompt} />}
    </>
  );
}

function VersionField(props: { id: string; version: string; onVersion: (version: string) => void }) {
  const { environment } = useShell();
  const versions = useInfiniteQuery(promptVersionsQuery(environment, props.id));
  const found = (versions.data?.pages ?? []).flatMap(({ data }) => data);
  const labels = [...new Set(found.flatMap((version) => version.labels))];
  const numbers = found.flatMap(({ version }) => version ?? []);
  const values = [...new Set(['latest', ...labels, ...numbers, props.version])];
  return (
    <SelectField
      label="Version"
      className="w-28 shrink-0"
      value={props.version}
      onValue={props.onVersion}
      options={values.map((value) => ({ value, label: value }))}
    />
  );
}

/** The messages of the version, to be read. */
function Shown({ id, version }: { id: string; version: string }) {
  const { environment } = useShell();
  const query = useQuery(promptVersionQuery(environment, id, version));
  return (
    <div className="flex max-h-60 flex-col gap-1 overflow-auto rounded-md border border-line p-2 text-sm">
      <ErrorLine error={query.error} />
      {query.data &&
        messagesOfVersion(query.data).map((message, at) => (
          <p key={at} className="wrap-anywhere whitespace-pre-wrap">
            <span className="text-muted">{message.role}: </span>
            {'text' in message && message.text}
          </p>
        ))}
    </div>
  );
}
