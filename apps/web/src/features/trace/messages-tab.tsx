import type { SpanDetail } from '@candela/contract';
import type { ReactNode } from 'react';
import { formatCount } from '../../lib/format.ts';
import { PayloadBlock } from '../../ui/text-block.tsx';
import { MessageView, ToolBox } from './message-view.tsx';
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
  return (
    <div className="flex flex-col gap-4 p-3">
      {toolExecution && (
        <ToolBox
          title={detail.tool ?? detail.name}
          id={toolExecution.callId}
          label="arguments"
          payload={toolExecution.arguments}
        >
          <div className="border-t border-line px-2 py-1.5">
            <h3 className="mb-1 text-sm text-muted">Result</h3>
            {toolExecution.result === '' ? (
              <span className="text-sm text-muted">nothing recorded</span>
            ) : (
              <PayloadBlock text={toolExecution.result} />
            )}
          </div>
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
      {input.length > 0 && (
        <Section title="Input" count={input.length}>
          {input.map((message, index) => (
            <MessageView key={index} message={message} tools={names} />
          ))}
        </Section>
      )}
      {output.length > 0 && (
        <Section title="Output" count={output.length}>
          {output.map((message, index) => (
            <MessageView key={index} message={message} tools={names} />
          ))}
        </Section>
      )}
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
