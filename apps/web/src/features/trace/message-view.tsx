import type { Message, MessagePart } from '@candela/semconv';
import { CatchBoundary } from '@tanstack/react-router';
import { Ban, Link2, Quote, Wrench } from 'lucide-react';
import { lazy, type ReactNode, Suspense } from 'react';
import { cx } from '../../lib/cx.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { LongText } from '../../ui/json-view.tsx';
import { Failure } from '../../ui/states.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { PayloadBlock, TextBlock } from '../../ui/text-block.tsx';
import type { ResultPart } from './pair-tools.ts';
import { ResultBlock } from './result-block.tsx';

// Few messages have pictures, sound or files.
const MediaView = lazy(() => import('./media-view.tsx'));
/** Characters of a refusal or a quotation shown at first. */
const MOST_NOTE = 1_000;

const ROLES: Record<string, { label: string; mark: string }> = {
  system: { label: 'System', mark: 'border-l-kind-other' },
  developer: { label: 'Developer', mark: 'border-l-kind-other' },
  user: { label: 'User', mark: 'border-l-kind-retrieval' },
  assistant: { label: 'Assistant', mark: 'border-l-kind-llm' },
  model: { label: 'Assistant', mark: 'border-l-kind-llm' },
  tool: { label: 'Tool result', mark: 'border-l-kind-tool' },
};
const roleOf = (role: string) =>
  Object.hasOwn(ROLES, role)
    ? (ROLES[role] as { label: string; mark: string })
    : { label: role, mark: 'border-l-line-strong' };

/** What a message says, as text to copy. */
function messageText(message: Message): string {
  return message.parts
    .map((part) => {
      switch (part.type) {
        case 'text':
        case 'reasoning':
        case 'refusal':
          return part.text;
        case 'citation':
          return [part.title, part.uri, part.text].filter((text) => text !== '').join(' ');
        case 'tool_call':
          return `${part.name}(${part.arguments})`;
        case 'tool_result':
          return part.result;
        case 'media':
          return part.uri;
        case 'json':
          return part.json;
      }
    })
    .join('\n');
}

/** One message with its role; long system prompts start folded. */
export function MessageView(props: {
  message: Message;
  aside?: ReactNode;
  /** Names of tools by call id, for results that carry only the id. */
  tools?: ReadonlyMap<string, string>;
  /** Results of the calls among the messages. */
  results?: ReadonlyMap<MessagePart, ResultPart>;
  /** The address of just this message, where it has one. */
  link?: (() => string) | undefined;
}) {
  const { message, aside, tools, results, link } = props;
  const role = roleOf(message.role);
  const text = messageText(message);
  const isFolded = (message.role === 'system' || message.role === 'developer') && text.length > 240;
  const body = (
    <div className="flex flex-col gap-2 px-3 pb-3">
      {message.parts.map((part, index) => (
        <PartView key={index} part={part} tools={tools} results={results} unfolded={isFolded} />
      ))}
      {message.parts.length === 0 && <p className="text-muted">Empty message</p>}
    </div>
  );
  const head = (
    <>
      <span className="font-medium">{role.label}</span>
      {message.name !== undefined && <span className="text-muted">{message.name}</span>}
      {message.finishReason !== undefined && message.finishReason !== '' && (
        <span className="text-sm text-muted">finish reason: {message.finishReason}</span>
      )}
    </>
  );
  const copies = (
    <>
      {link && (
        <CopyButton label="Copy a link to the message" text={link} icon={<Link2 size={13} aria-hidden />} />
      )}
      <CopyButton label="Copy the message" text={() => text} />
    </>
  );
  const frame = cx('rounded-md border border-l-2 border-line bg-surface', role.mark);
  if (isFolded)
    return (
      <div className="relative">
        <details className={frame}>
          <summary className={cx('flex h-8 items-center gap-2 pl-3', link ? 'pr-16' : 'pr-10')}>
            {head}
            <span className="min-w-0 truncate text-sm text-muted">{text.slice(0, 160)}</span>
          </summary>
          {body}
        </details>
        {/* Beside the summary: what stands in one folds it. */}
        <span className="absolute top-1 right-3 flex">{copies}</span>
      </div>
    );
  return (
    <article aria-label={role.label} className={cx('group', frame)}>
      <header className="flex h-8 items-center gap-2 px-3">
        {head}
        <span className="ml-auto flex items-center">
          {aside}
          {copies}
        </span>
      </header>
      {body}
    </article>
  );
}

function PartView(props: {
  part: MessagePart;
  tools: ReadonlyMap<string, string> | undefined;
  results: ReadonlyMap<MessagePart, ResultPart> | undefined;
  /** Texts are shown whole: who sees them has opened the message. */
  unfolded: boolean;
}) {
  const { part } = props;
  const result = props.results?.get(part);
  switch (part.type) {
    case 'text':
      return <TextBlock text={part.text} unfolded={props.unfolded} />;
    case 'refusal':
      return (
        <p className="flex items-start gap-2 rounded bg-danger-soft px-2 py-1 text-danger">
          <Ban size={14} role="img" aria-label="Refused" className="mt-0.75 shrink-0" />
          <span className="break-words whitespace-pre-wrap">
            <LongText text={part.text} most={MOST_NOTE} />
          </span>
        </p>
      );
    case 'citation':
      return <CitationView part={part} />;
    case 'reasoning':
      if (part.text === '')
        return <p className="text-sm text-muted">Thinking that the provider does not show</p>;
      return (
        <details
          className="rounded border border-dashed border-line px-2 py-1 text-muted"
          open={part.text.length < 600}
        >
          <summary className="text-sm">Thinking</summary>
          <TextBlock text={part.text} unfolded />
        </details>
      );
    case 'tool_call':
      return (
        <ToolBox title={part.name} id={part.id} label="call" payload={part.arguments}>
          {result && <ToolResult text={result.result} failed={result.failed === true} />}
        </ToolBox>
      );
    case 'tool_result':
      return (
        <ToolBox
          title={part.name || (props.tools?.get(part.id) ?? '')}
          id={part.id}
          label={part.failed ? 'failed' : 'result'}
          copies="result"
          body={<ResultBlock text={part.result} open={2} />}
          payload={part.result}
        />
      );
    case 'media':
      return (
        <CatchBoundary
          getResetKey={() => 0}
          errorComponent={({ error, reset }) => <Failure error={error} onRetry={reset} />}
        >
          <Suspense fallback={<p className="text-sm text-muted">{part.modality || 'media'}</p>}>
            <MediaView part={part} />
          </Suspense>
        </CatchBoundary>
      );
    case 'json':
      return <PayloadBlock text={part.json} />;
  }
}

export function ToolBox(props: {
  title: string;
  id: string;
  label: string;
  payload: string;
  /** What the payload is, for who copies it. */
  copies?: 'arguments' | 'result';
  /** The payload drawn in another way than as JSON or text. */
  body?: ReactNode;
  children?: ReactNode;
}) {
  return (
    <div className="rounded border border-line bg-bg">
      <div className="flex items-center gap-1.5 border-b border-line px-2 py-1 text-sm">
        <Wrench size={13} className="shrink-0 text-kind-tool" aria-hidden />
        <MiddleTruncation name={props.title || 'tool'} className="font-mono" />
        <span className="text-muted">{props.label}</span>
        <span className="ml-auto truncate font-mono text-xs text-faint">{props.id}</span>
        {props.payload !== '' && (
          <CopyButton
            label={`Copy the ${props.copies ?? 'arguments'}`}
            text={() => props.payload}
            className="-my-0.5 h-6"
          />
        )}
      </div>
      <div className="px-2 py-1.5">
        {props.payload === '' ? (
          <span className="text-sm text-muted">nothing recorded</span>
        ) : (
          (props.body ?? <PayloadBlock text={props.payload} />)
        )}
      </div>
      {props.children}
    </div>
  );
}

/** The result below a tool's arguments. */
export function ToolResult({ text, failed = false }: { text: string; failed?: boolean }) {
  return (
    <div className="border-t border-line px-2 py-1.5">
      <h4 className="mb-1 flex items-center gap-2 text-sm text-muted">
        Result
        {failed && <StatusIcon status="error" />}
        {text !== '' && (
          <CopyButton label="Copy the result" text={() => text} className="-my-0.5 ml-auto h-6" />
        )}
      </h4>
      {text === '' ? (
        <span className="text-sm text-muted">nothing recorded</span>
      ) : (
        <ResultBlock text={text} />
      )}
    </div>
  );
}

/** Where a statement comes from; only http addresses become links. */
function CitationView({ part }: { part: Extract<MessagePart, { type: 'citation' }> }) {
  const name = part.title || part.uri || 'Source';
  return (
    <div className="flex items-start gap-2 border-l-2 border-line-strong pl-2 text-sm">
      <Quote size={13} role="img" aria-label="Source" className="mt-0.75 shrink-0 text-muted" />
      <div className="min-w-0">
        {/^https?:\/\//i.test(part.uri) ? (
          <a
            href={part.uri}
            target="_blank"
            rel="noopener noreferrer nofollow"
            title={part.uri}
            className="break-words text-accent underline"
          >
            {name}
          </a>
        ) : (
          <span className="break-words" title={part.uri}>
            {name}
          </span>
        )}
        {part.text !== '' && (
          <p className="break-words whitespace-pre-wrap text-muted">
            <LongText text={part.text} most={MOST_NOTE} />
          </p>
        )}
      </div>
    </div>
  );
}
