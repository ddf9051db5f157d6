import type { PromptMessage, TryDone } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { useEffect, useRef, useState } from 'react';
import { modelsQuery } from '../../api/models.ts';
import { tryPromptWith } from '../../api/prompt-try.ts';
import { formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { SelectField } from '../../ui/field.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { TextBlock } from '../../ui/text-block.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { Loaded } from '../settings/page.tsx';
import { useShell } from '../shell/shell-search.ts';

interface Answer {
  readonly text: string;
  readonly done: TryDone | undefined;
  readonly error: unknown;
  readonly running: boolean;
}

const FINISH: Partial<Record<TryDone['finish'], string>> = {
  length: 'cut: it may not be longer',
  content_filter: 'ended by the content filter',
  other: 'ended otherwise',
};

/** What a configured model answers to the text as it stands in the editor, as it comes. */
export default function TryPanel(props: {
  promptId: string;
  text: string;
  /** Of a chat, instead of the text. */
  messages: readonly PromptMessage[] | undefined;
  variables: Readonly<Record<string, string>>;
  mayTry: boolean;
}) {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const models = useQuery(modelsQuery(environment));
  return (
    <section aria-label="Try it" className="flex flex-col gap-2 border-t border-line pt-3">
      <h2 className="font-medium">Try it</h2>
      <Loaded query={models} label="the models">
        {(rows) =>
          rows.length === 0 ? (
            <p className="text-sm text-muted">
              No model is configured.{' '}
              {can('admin') ? (
                <Link to="/settings/models" className="text-accent underline">
                  Configure one in Settings
                </Link>
              ) : (
                'An admin or owner can configure one in Settings, Models.'
              )}
            </p>
          ) : props.mayTry ? (
            <Run {...props} models={rows} />
          ) : (
            <p className="text-sm text-muted">Members and above may ask a model.</p>
          )
        }
      </Loaded>
    </section>
  );
}

function Run(props: {
  promptId: string;
  text: string;
  /** Of a chat, instead of the text. */
  messages: readonly PromptMessage[] | undefined;
  variables: Readonly<Record<string, string>>;
  models: readonly { readonly id: string; readonly name: string; readonly model: string }[];
}) {
  const { environment } = useShell();
  const [modelId, setModelId] = useState(props.models[0]?.id ?? '');
  const [answer, setAnswer] = useState<Answer>();
  const running = useRef<AbortController>(undefined);
  useEffect(() => () => running.current?.abort(), []);
  const ask = async () => {
    running.current?.abort();
    const abort = new AbortController();
    running.current = abort;
    setAnswer({ text: '', done: undefined, error: undefined, running: true });
    // Of a call that was stopped, or followed by another one, nothing more is shown.
    const set = (change: (before: Answer) => Partial<Answer>) => {
      if (running.current === abort) setAnswer((before) => before && { ...before, ...change(before) });
    };
    const { messages, text, variables } = props;
    const said = messages === undefined ? { text } : { messages: [...messages] };
    const body = { modelId, ...said, variables };
    try {
      for await (const { event, data } of tryPromptWith(environment, props.promptId, body, abort.signal)) {
        if (event === 'delta') set((before) => ({ text: before.text + data.text }));
        else if (event === 'done') set(() => ({ done: data }));
      }
    } catch (thrown) {
      if (!abort.signal.aborted) set(() => ({ error: thrown }));
    }
    set(() => ({ running: false }));
  };
  const stop = () => {
    running.current?.abort();
    setAnswer((before) => before && { ...before, running: false });
  };
  return (
    <>
      <div className="flex items-end gap-2">
        <SelectField
          label="Model"
          value={modelId}
          onValue={setModelId}
          className="max-w-72 grow"
          options={props.models.map((model) => ({
            value: model.id,
            label: `${model.name} (${model.model})`,
          }))}
        />
        {answer?.running === true ? (
          <Button className="h-8" onClick={stop}>
            Stop
          </Button>
        ) : (
          <Button look="primary" className="h-8" disabled={props.text === ''} onClick={() => void ask()}>
            Ask
          </Button>
        )}
      </div>
      {answer !== undefined && (
        <div className="flex flex-col gap-2">
          <div
            role="region"
            aria-label="Answer"
            aria-busy={answer.running}
            tabIndex={0}
            className="max-h-96 min-h-12 overflow-auto rounded-md border border-line bg-surface p-2"
          >
            {answer.text === '' ? (
              <p className="text-muted">
                {answer.running ? 'Waiting for the first word …' : 'It said nothing.'}
              </p>
            ) : (
              <TextBlock text={answer.text} />
            )}
          </div>
          <ErrorLine error={answer.error} />
          {answer.done && <Figures done={answer.done} />}
        </div>
      )}
    </>
  );
}

function Figures({ done }: { done: TryDone }) {
  const { usage } = done;
  const finish = FINISH[done.finish];
  return (
    <Facts>
      {finish !== undefined && <Fact label="End">{finish}</Fact>}
      <Fact label="First word">{formatDuration(done.firstTokenMs)}</Fact>
      <Fact label="Duration">{formatDuration(done.durationMs)}</Fact>
      {usage && (
        <Fact
          label="Tokens"
          title={`${usage.input} fresh, ${usage.cacheRead} from the cache, ${usage.cacheWrite} into it; ${usage.output} out, ${usage.reasoning} of reasoning`}
        >
          {formatCount(usage.input + usage.cacheRead + usage.cacheWrite)} →{' '}
          {formatCount(usage.output + usage.reasoning)}
        </Fact>
      )}
      <Fact label="Cost">{formatCost(done.costUsd)}</Fact>
    </Facts>
  );
}
