import type { SpanDetail } from '@candela/contract';
import type { Message } from '@candela/semconv';
import { Link } from '@tanstack/react-router';
import { type ReactNode, useEffect, useMemo, useRef, useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { formatCount } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { transferFocus } from '../../lib/transfer-focus.ts';
import { scrollToSee } from '../../lib/scroll-to-see.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { PayloadBlock, textMode } from '../../ui/text-block.tsx';
import { MessageView, ToolBox, ToolResult } from './message-view.tsx';
import { type OutputFormat, outputFormat } from './output-format.ts';
import { pairTools } from './pair-tools.ts';
import type { MessagePlace } from './trace-search.ts';
import { toolNames } from './tool-names.ts';

/** Messages above the output that are seen at a glance. */
const SHORT_HISTORY = 4;

/** Whether the span says anything a reader would call its content. */
export function hasContent(detail: SpanDetail): boolean {
  const { conversation } = detail;
  return (
    conversation.input.length > 0 ||
    conversation.output.length > 0 ||
    conversation.toolExecution !== undefined ||
    conversation.retrievedDocuments.length > 0
  );
}

/** The span's content in reading order: what went in, what came out, what it had at hand. */
export function MessagesTab(props: {
  detail: SpanDetail;
  /** The message that the address names. */
  linked: MessagePlace | undefined;
  /** The address of a message. */
  linkTo: (place: MessagePlace) => string;
}) {
  const { detail, linked, linkTo } = props;
  const { input, output, tools, toolExecution, retrievedDocuments, scores } = detail.conversation;
  const format = useMemo(() => outputFormat(detail), [detail]);
  const answer = useRef<HTMLDivElement>(null);
  // A call late in a conversation repeats all of it before its answer.
  const isFar = output.length > 0 && input.length > SHORT_HISTORY;
  const toOutput = () => answer.current && scrollToSee(answer.current, 'top');
  useHotkey('o', toOutput, { label: 'To the output of the span', group: 'Trace', enabled: isFar });
  if (!hasContent(detail))
    return (
      <p className="p-4 text-muted">
        This span carries no messages. Content capture may be off in the SDK, or the span is not an AI call;
        see its attributes.
      </p>
    );
  const names = toolNames([...input, ...output]);
  const boxFirst = toolExecution !== undefined || tools.length > 0;
  return (
    <div className="flex flex-col gap-4 p-3">
      <div className={cx('relative z-1 flex gap-1 self-end', !boxFirst && '-mb-10')}>
        {isFar && (
          <button type="button" onClick={toOutput} title="To the output (o)" className={TOP_BUTTON}>
            To the output
          </button>
        )}
        {detail.model !== null && input.length > 0 && (
          <CopyButton
            label="Copy the model call as cURL"
            text={() => import('./prompt-request.ts').then(({ promptCurl }) => promptCurl(detail))}
            className="h-6 px-1.5"
          >
            cURL
          </CopyButton>
        )}
        {detail.model !== null && (
          <Link
            to="/playground"
            search={{ trace: detail.traceId, span: detail.spanId }}
            title="Open in the playground"
            className={cx(TOP_BUTTON, 'leading-6')}
          >
            Playground
          </Link>
        )}
        {detail.model !== null && input.length > 0 && (
          <Link
            to="/prompts"
            search={{ trace: detail.traceId, span: detail.spanId }}
            title="Open in a prompt"
            className={cx(TOP_BUTTON, 'leading-6')}
          >
            Prompt
          </Link>
        )}
        <TextModeButton />
      </div>
      {toolExecution && (
        <ToolBox
          title={detail.tool ?? detail.name}
          id={toolExecution.callId}
          label="arguments"
          payload={toolExecution.arguments}
        >
          <ToolResult text={toolExecution.result} />
        </ToolBox>
      )}
      {tools.length > 0 && (
        <details className="rounded-md border border-line bg-surface">
          <summary className="px-3 py-1.5 text-muted">
            {tools.length === 1 ? '1 tool' : `${tools.length} tools`} offered:{' '}
            {tools
              .map((tool) => tool.name)
              .join(', ')
              .slice(0, 120)}
          </summary>
          <div className="flex flex-col gap-2 p-3 pt-0">
            {tools.map((tool, index) => (
              <div key={`${index} ${tool.name}`}>
                <p>
                  <code className="font-mono text-sm">{tool.name}</code>{' '}
                  <span className="text-muted">{tool.description}</span>
                </p>
                {tool.parameters !== '' && <PayloadBlock text={tool.parameters} open={1} />}
              </div>
            ))}
          </div>
        </details>
      )}
      <Messages side="input" messages={input} names={names} linked={linked} linkTo={linkTo} />
      {format && <FormatView format={format} />}
      <div ref={answer} className="empty:hidden">
        <Messages side="output" messages={output} names={names} linked={linked} linkTo={linkTo} />
      </div>
      {retrievedDocuments.length > 0 && (
        <Section title="Retrieved documents" count={retrievedDocuments.length}>
          {retrievedDocuments.map((document, index) => (
            <article key={`${index} ${document.id}`} className="rounded-md border border-line bg-surface p-3">
              <header className="mb-1 flex gap-2 text-sm text-muted">
                <span className="truncate font-mono">{document.id || `#${index + 1}`}</span>
                {document.score !== undefined && (
                  <span className="ml-auto">score {formatCount(document.score)}</span>
                )}
              </header>
              <PayloadBlock text={document.content} />
            </article>
          ))}
        </Section>
      )}
      {scores.length > 0 && (
        <Section title="Scores" count={scores.length}>
          {scores.map((score, index) => (
            <p key={index}>
              <span className="font-medium">{score.name}</span>{' '}
              {score.value === undefined ? score.label : formatCount(score.value)}{' '}
              <span className="text-muted">{score.explanation}</span>
            </p>
          ))}
        </Section>
      )}
    </div>
  );
}

/** The form that the answer was asked to have, above it. */
function FormatView({ format }: { format: OutputFormat }) {
  const frame = '-mb-2 rounded-md border border-line bg-surface';
  const name = format.name !== '' && <code className="font-mono text-sm">{format.name}</code>;
  if (format.schema === '')
    return <p className={cx(frame, 'px-3 py-1.5 text-muted')}>Output asked for as {name}</p>;
  return (
    <details className={frame}>
      <summary className="px-3 py-1.5 text-muted">Output asked for by a schema {name}</summary>
      <div className="flex items-start gap-2 px-3 pb-3">
        <div className="min-w-0 grow">
          <PayloadBlock text={format.schema} open={4} />
        </div>
        <CopyButton label="Copy the schema" text={() => format.schema} />
      </div>
    </details>
  );
}

const TOP_BUTTON = 'h-6 rounded px-1.5 text-sm text-muted hover:bg-hover';

/** Texts as markdown or as they were sent; beside the first heading, where the tabs need their whole line. */
function TextModeButton() {
  const mode = textMode.use();
  return (
    <button
      type="button"
      aria-pressed={mode === 'markdown'}
      onClick={() => textMode.set(mode === 'markdown' ? 'plain' : 'markdown')}
      className={cx(TOP_BUTTON, 'aria-pressed:text-text')}
    >
      Markdown
    </button>
  );
}

/** Messages shown of a long history before somebody asks for all: its beginning and its end. */
const FIRST_SHOWN = 2;
const LAST_SHOWN = 30;
/** So much of a message that a link names has to be in sight, else it is brought there. */
const SEEN_PX = 80;

function Messages(props: {
  side: MessagePlace['side'];
  messages: readonly Message[];
  names: ReadonlyMap<string, string>;
  linked: MessagePlace | undefined;
  linkTo: (place: MessagePlace) => string;
}) {
  const { side, linked } = props;
  const { messages, places, results } = useMemo(() => pairTools(props.messages), [props.messages]);
  const [whole, setWhole] = useState(false);
  // A message that was only a result stands at its call, before it.
  const linkedAt = linked?.side === side ? places.findLastIndex((place) => place <= linked.index) : -1;
  const marked = useRef<HTMLDivElement>(null);
  useEffect(() => {
    const place = marked.current;
    if (place === null) return;
    const fold = place.querySelector('article') === null ? place.querySelector('details') : null;
    if (fold) fold.open = true;
    scrollToSee(place, 'top', SEEN_PX);
  }, [linkedAt]);
  if (messages.length === 0) return null;
  const between = messages.length - FIRST_SHOWN - LAST_SHOWN;
  const isBetween = linkedAt >= FIRST_SHOWN && linkedAt < messages.length - LAST_SHOWN;
  const isCut = !whole && !isBetween && between > 10;
  const view = (message: Message, at: number) => {
    const index = places[at] ?? at;
    return (
      <div
        key={at}
        ref={at === linkedAt ? marked : undefined}
        data-marked={at === linkedAt || undefined}
        aria-current={at === linkedAt || undefined}
        className={cx(at === linkedAt && 'rounded-md ring-1 ring-accent-fill')}
      >
        <MessageView
          message={message}
          tools={props.names}
          results={results}
          link={() => props.linkTo({ side, index })}
        />
      </div>
    );
  };
  return (
    <Section title={side === 'input' ? 'Input' : 'Output'} count={props.messages.length}>
      {isCut ? messages.slice(0, FIRST_SHOWN).map(view) : messages.map(view)}
      {isCut && (
        <Button
          className="self-center"
          onClick={(event) => {
            transferFocus(event.currentTarget);
            setWhole(true);
          }}
        >
          {formatCount(between)} messages between
        </Button>
      )}
      {isCut &&
        messages.slice(-LAST_SHOWN).map((message, at) => view(message, messages.length - LAST_SHOWN + at))}
    </Section>
  );
}

function Section(props: { title: string; count: number; children: ReactNode }) {
  return (
    <section className="flex flex-col gap-2">
      <h3 className="text-sm text-muted">
        {props.title}
        {props.count > 1 && ` (${props.count})`}
      </h3>
      {props.children}
    </section>
  );
}
