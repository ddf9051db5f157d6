import type { AnnotationItem, AnnotationQueue } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useMemo, useState } from 'react';
import { claimItem, JUDGE_KEY, labelItem } from '../../api/evaluations.ts';
import { spanQuery } from '../../api/trace.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { TextArea, TextField } from '../../ui/field.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { useShell } from '../shell/shell-search.ts';
import { MessageView, ToolBox, ToolResult } from '../trace/message-view.tsx';
import { toolNames } from '../trace/tool-names.ts';
import { labelText } from './label-text.ts';

/** One item after another: the conversation beside the form. Keys choose, save and skip. */
export default function Review({ queue, onClose }: { queue: AnnotationQueue; onClose: () => void }) {
  const { environment } = useShell();
  const [item, setItem] = useState<AnnotationItem | null>();
  const [values, setValues] = useState<Record<string, string | number>>({});
  const [comment, setComment] = useState('');
  const claim = useApiMutation(() => claimItem(environment, queue.id), {
    touches: [],
    onDone: (next) => {
      setItem(next);
      setValues({});
      setComment('');
    },
  });
  const label = useApiMutation(
    (body: { values?: Record<string, string | number>; skip?: string }) =>
      labelItem(
        environment,
        { id: queue.id, itemId: item?.id ?? '' },
        { ...body, ...(comment === '' ? {} : { comment }) },
      ),
    { touches: [JUDGE_KEY], onDone: () => claim.mutate(undefined) },
  );
  const first = claim.mutate;
  useEffect(() => first(undefined), [first]);
  const isReady = queue.fields.every(({ name }) => values[name] !== undefined);
  useEffect(() => {
    const onKey = (event: KeyboardEvent) => {
      if (event.target instanceof HTMLInputElement || event.target instanceof HTMLTextAreaElement) return;
      if (event.ctrlKey || event.metaKey || event.altKey || !item) return;
      // A digit answers the first field that waits for one, else the last again.
      const choices = queue.fields.filter(({ kind }) => kind !== 'number');
      const field = choices.find(({ name }) => values[name] === undefined) ?? choices.at(-1);
      const option = field && optionsOf(field)[Number(event.key) - 1];
      if (field !== undefined && option !== undefined)
        setValues((before) => ({ ...before, [field.name]: option }));
      else if (event.key === 'Enter' && isReady && !(event.target instanceof HTMLButtonElement))
        label.mutate({ values });
      else if (event.key === 's') {
        event.preventDefault();
        document.querySelector<HTMLTextAreaElement>('form[aria-label=Label] textarea')?.focus();
      }
    };
    globalThis.addEventListener('keydown', onKey);
    return () => globalThis.removeEventListener('keydown', onKey);
  });
  return (
    <div className="flex flex-col gap-3">
      <div className="flex items-center gap-3">
        <h2 className="font-semibold">{queue.name}</h2>
        <p className="text-sm text-muted">{queue.instructions}</p>
        <Button className="ml-auto" onClick={onClose}>
          Back to the queues
        </Button>
      </div>
      <ErrorLine error={claim.error ?? label.error} />
      {item === null && <Notice title="Nothing is left for you">Others may still have to label some.</Notice>}
      {item && (
        <div className="grid gap-4 md:grid-cols-[2fr_1fr]">
          <Conversation traceId={item.traceId} spanId={item.spanId} />
          <form
            aria-label="Label"
            className="flex flex-col gap-3"
            onSubmit={(event) => {
              event.preventDefault();
              if (isReady) label.mutate({ values });
            }}
          >
            <p className="text-sm text-muted">Keys 1 to 9 choose, Enter saves, s writes why it is skipped.</p>
            {queue.fields.map(({ name, kind, options }) =>
              kind === 'number' ? (
                <TextField
                  // The next item begins with an empty field.
                  key={`${item.id} ${name}`}
                  label={name}
                  type="number"
                  step="any"
                  value={String(values[name] ?? '')}
                  onValue={(text) =>
                    setValues(({ [name]: _before, ...others }) =>
                      text === '' ? others : { ...others, [name]: Number(text) },
                    )
                  }
                />
              ) : (
                <fieldset key={name} className="flex flex-wrap gap-2">
                  <legend className="mb-1 text-sm font-medium">{name}</legend>
                  {optionsOf({ kind, options }).map((option, at) => (
                    <Button
                      key={option}
                      look={values[name] === option ? 'primary' : 'outline'}
                      aria-pressed={values[name] === option}
                      onClick={() => setValues((before) => ({ ...before, [name]: option }))}
                    >
                      {at + 1} {option}
                    </Button>
                  ))}
                </fieldset>
              ),
            )}
            <TextArea label="Comment" value={comment} onValue={setComment} />
            {item.labels.length > 0 && (
              <section aria-label="Labels of others" className="flex flex-col gap-1 text-sm">
                <h3 className="font-medium">
                  {item.status === 'disputed' ? 'They disagree: you decide' : 'Labels of others'}
                </h3>
                {item.labels.map((one) => (
                  <p key={`${one.reviewer} ${one.at}`} className="text-muted wrap-anywhere">
                    {labelText(one)}
                  </p>
                ))}
              </section>
            )}
            <div className="flex gap-2">
              <Button type="submit" look="primary" disabled={!isReady} busy={label.isPending}>
                Save and next
              </Button>
              <Button
                disabled={comment.trim() === ''}
                title="Write the reason as comment first."
                onClick={() => label.mutate({ skip: comment })}
              >
                Skip with this reason
              </Button>
            </div>
          </form>
        </div>
      )}
    </div>
  );
}

const optionsOf = ({ kind, options }: Pick<AnnotationQueue['fields'][number], 'kind' | 'options'>) =>
  kind === 'pass_fail' ? ['pass', 'fail'] : options;

function Conversation({ traceId, spanId }: { traceId: string; spanId: string | null }) {
  const query = useQuery({ ...spanQuery(traceId, spanId ?? '', undefined), enabled: spanId !== null });
  const { conversation, tool, name } = query.data ?? {};
  const { toolExecution } = conversation ?? {};
  const messages = useMemo(
    () => [...(conversation?.input ?? []), ...(conversation?.output ?? [])],
    [conversation],
  );
  const tools = useMemo(() => toolNames(messages), [messages]);
  return (
    <section
      aria-label="Conversation"
      tabIndex={0}
      className="flex max-h-[70vh] flex-col gap-2 overflow-auto max-md:max-h-[45vh]"
    >
      <Link
        to="/traces/$traceId"
        params={{ traceId }}
        search={spanId === null ? {} : { span: spanId }}
        target="_blank"
        className="self-start text-sm text-accent hover:underline"
      >
        Open the trace in a new tab
      </Link>
      {query.isPending && spanId !== null && <SkeletonRows rows={3} label="Loading the span" />}
      {query.isLoadingError && <Failure error={query.error} onRetry={() => void query.refetch()} />}
      {query.data && messages.length === 0 && toolExecution === undefined && (
        <Notice title={name ?? ''}>This span holds no messages: open its trace.</Notice>
      )}
      {toolExecution && (
        <ToolBox
          title={tool ?? name ?? ''}
          id={toolExecution.callId}
          label="arguments"
          payload={toolExecution.arguments}
        >
          <ToolResult text={toolExecution.result} />
        </ToolBox>
      )}
      {messages.map((message, at) => (
        <MessageView key={at} message={message} tools={tools} />
      ))}
    </section>
  );
}
