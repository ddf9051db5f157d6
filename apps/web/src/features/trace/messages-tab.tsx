import type { SpanDetail } from '@candela/contract';
import type { Message } from '@candela/semconv';
import { type ReactNode, useMemo, useState } from 'react';
import { cx } from '../../lib/cx.ts';
import { formatCount } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { PayloadBlock, textMode } from '../../ui/text-block.tsx';
import { MessageView, ToolBox, ToolResult } from './message-view.tsx';
import { pairTools } from './pair-tools.ts';
import { toolNames } from './tool-names.ts';

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
export function MessagesTab({ detail }: { detail: SpanDetail }) {
  const { input, output, tools, toolExecution, retrievedDocuments, scores } = detail.conversation;
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
      <TextModeButton className={cx('self-end', !boxFirst && '-mb-9')} />
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
      <Messages title="Input" messages={input} names={names} />
      <Messages title="Output" messages={output} names={names} />
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

/** Texts as markdown or as they were sent; beside the first heading, where the tabs need their whole line. */
function TextModeButton({ className }: { className: string }) {
  const mode = textMode.use();
  return (
    <button
      type="button"
      aria-pressed={mode === 'markdown'}
      onClick={() => textMode.set(mode === 'markdown' ? 'plain' : 'markdown')}
      className={cx('h-5 rounded px-1.5 text-sm text-muted hover:bg-hover aria-pressed:text-text', className)}
    >
      Markdown
    </button>
  );
}

/** Messages shown of a long history before somebody asks for all: its beginning and its end. */
const FIRST_SHOWN = 2;
const LAST_SHOWN = 30;

function Messages(props: {
  title: string;
  messages: readonly Message[];
  names: ReadonlyMap<string, string>;
}) {
  const { messages, results } = useMemo(() => pairTools(props.messages), [props.messages]);
  const [whole, setWhole] = useState(false);
  if (messages.length === 0) return null;
  const between = messages.length - FIRST_SHOWN - LAST_SHOWN;
  const isCut = !whole && between > 10;
  const view = (message: Message, index: number) => (
    <MessageView key={index} message={message} tools={props.names} results={results} />
  );
  return (
    <Section title={props.title} count={props.messages.length}>
      {isCut ? messages.slice(0, FIRST_SHOWN).map(view) : messages.map(view)}
      {isCut && (
        <Button className="self-center" onClick={() => setWhole(true)}>
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
