import type { CodingEvent } from '@candela/contract';
import { Bot, FileDiff, GitCommitHorizontal, GitPullRequest, Minimize2, Wrench } from 'lucide-react';
import type { ReactNode } from 'react';
import { formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { cx } from '../../lib/cx.ts';
import { Badge } from '../../ui/badge.tsx';
import { PayloadBlock, TextBlock } from '../../ui/text-block.tsx';
import { When } from '../../ui/when.tsx';
import { Lines } from './cells.tsx';
import { diffLines, type EventNode } from './event-tree.ts';

/** What was said and done, read from top to bottom; what happened inside something lies in it. */
export function Conversation({ nodes }: { nodes: readonly EventNode[] }) {
  return nodes.map((node) => <Event key={node.event.id} node={node} />);
}

function Event({ node }: { node: EventNode }) {
  switch (node.event.kind) {
    case 'turn':
      return <Turn node={node} />;
    case 'model':
      return <ModelCall event={node.event} />;
    case 'tool':
      return <Tool node={node} />;
    case 'subagent':
      return <Subagent node={node} />;
    case 'edit':
      return <Edit event={node.event} />;
    default:
      return <Line node={node} />;
  }
}

function Turn({ node: { event, children } }: { node: EventNode }) {
  return (
    <article aria-label="Turn" className="flex flex-col gap-2 rounded-md border border-line p-3">
      <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
        <span className="font-semibold text-text">User</span>
        <When time={event.at} />
        <span>{formatDuration(event.durationMs)}</span>
        {event.failed && <Badge tone="danger">{event.error ?? 'failed'}</Badge>}
      </p>
      {event.input === null ? <Unsaid what="prompt" /> : <TextBlock text={event.input} />}
      {children.length > 0 && (
        <div className="flex flex-col gap-1.5 border-l-2 border-line pl-3">
          <Conversation nodes={children} />
        </div>
      )}
      {event.output !== null && (
        <>
          <p className="text-sm font-semibold">Agent</p>
          <TextBlock text={event.output} />
        </>
      )}
    </article>
  );
}

const Unsaid = ({ what }: { what: string }) => (
  <p className="text-sm text-muted">The {what} was not captured.</p>
);

function ModelCall({ event }: { event: CodingEvent }) {
  const { tokens } = event;
  return (
    <p className="flex flex-wrap items-center gap-x-2 text-xs text-muted">
      <Bot size={13} aria-hidden />
      <span>{event.name ?? 'model'}</span>
      {tokens && (
        <span
          title={`${tokens.input} input, ${tokens.cacheRead} cache read, ${tokens.cacheWrite} cache write, ${tokens.output} output`}
        >
          {formatCount(tokens.input + tokens.cacheRead + tokens.cacheWrite)} in · {formatCount(tokens.output)}{' '}
          out
        </span>
      )}
      <span>{event.costUsd === null ? 'unpriced' : formatCost(event.costUsd)}</span>
      {event.source !== null && event.source !== 'main' && <Badge>{event.source}</Badge>}
      {event.failed && <Badge tone="danger">failed</Badge>}
    </p>
  );
}

function Tool({ node: { event, children } }: { node: EventNode }) {
  const what = event.command ?? event.path;
  return (
    <Box
      icon={<Wrench size={13} aria-hidden />}
      failed={event.failed}
      head={
        <>
          <span className="font-medium">{event.name ?? 'tool'}</span>
          {what !== null && <code className="min-w-0 truncate font-mono text-xs text-muted">{what}</code>}
          <span className="ml-auto shrink-0 text-xs text-muted">
            {event.waitedMs !== null && event.waitedMs > 0 && `waited ${formatDuration(event.waitedMs)} · `}
            {formatDuration(event.durationMs)}
          </span>
          {event.failed && <Badge tone="danger">failed</Badge>}
        </>
      }
      after={children.length > 0 && <Conversation nodes={children} />}
    >
      {event.error !== null && <p className="text-sm text-danger">{event.error}</p>}
      {event.input !== null && <Payload label="Arguments" text={event.input} />}
      {event.output !== null && <Payload label="Result" text={event.output} />}
      {event.input === null && event.output === null && <Unsaid what="content of the call" />}
    </Box>
  );
}

const Payload = ({ label, text }: { label: string; text: string }) => (
  <div>
    <p className="text-xs text-muted">{label}</p>
    <PayloadBlock text={text} open={1} />
  </div>
);

function Subagent({ node: { event, children } }: { node: EventNode }) {
  return (
    <Box
      icon={<Bot size={13} aria-hidden />}
      failed={event.failed}
      head={
        <>
          <span className="font-medium">Sub-agent {event.name}</span>
          <span className="ml-auto shrink-0 text-xs text-muted">{formatDuration(event.durationMs)}</span>
        </>
      }
    >
      <Conversation nodes={children} />
      {event.output !== null && <TextBlock text={event.output} />}
    </Box>
  );
}

/** Something that is folded at first; `after` stands below it all the time. */
function Box(props: {
  icon: ReactNode;
  failed: boolean;
  head: ReactNode;
  children: ReactNode;
  after?: ReactNode;
}) {
  return (
    <div className="flex min-w-0 flex-col gap-1.5">
      <details className="min-w-0 rounded-md border border-line">
        <summary
          className={cx(
            'flex cursor-pointer items-center gap-2 px-2 py-1 text-sm hover:bg-hover',
            props.failed && 'text-danger',
          )}
        >
          {props.icon}
          {props.head}
        </summary>
        <div className="flex flex-col gap-2 border-t border-line p-2">{props.children}</div>
      </details>
      {props.after && <div className="flex flex-col gap-1.5 pl-3">{props.after}</div>}
    </div>
  );
}

const DECISIONS = {
  accept: { tone: 'ok', label: 'accepted' },
  auto_accepted: { tone: 'plain', label: 'accepted by rule' },
  modify: { tone: 'accent', label: 'modified' },
  reject: { tone: 'danger', label: 'refused' },
} as const;
const LOOKS = {
  added: 'bg-ok/10',
  removed: 'bg-danger-soft',
  place: 'text-muted',
  same: '',
} as const;

function Edit({ event }: { event: CodingEvent }) {
  const decision = Object.entries(DECISIONS).find(([name]) => name === event.decision)?.[1];
  const head = (
    <>
      <FileDiff size={13} aria-hidden className="shrink-0" />
      <code className="min-w-0 truncate font-mono text-xs" title={event.path ?? undefined}>
        {event.path ?? 'edit'}
      </code>
      {event.lines && <Lines {...event.lines} />}
      <span className="ml-auto" />
      {decision && <Badge tone={decision.tone}>{decision.label}</Badge>}
    </>
  );
  if (event.diff === null)
    return (
      <p className="flex min-w-0 items-center gap-2 rounded-md border border-line px-2 py-1 text-sm">
        {head}
      </p>
    );
  return (
    <figure className="min-w-0 overflow-hidden rounded-md border border-line">
      <figcaption className="flex min-w-0 items-center gap-2 px-2 py-1 text-sm">{head}</figcaption>
      <pre
        tabIndex={0}
        aria-label={`Diff of ${event.path ?? 'the edit'}`}
        className="max-h-96 overflow-auto border-t border-line bg-surface py-1 font-mono text-xs"
      >
        {diffLines(event.diff).map(({ text, kind }, at) => (
          <span key={at} className={cx('block w-max min-w-full px-2', LOOKS[kind])}>
            {text === '' ? ' ' : text}
          </span>
        ))}
      </pre>
    </figure>
  );
}

/** Events that are one line. */
function Line({ node: { event, children } }: { node: EventNode }) {
  const name = event.name ?? '';
  const [icon, text]: [ReactNode, ReactNode] =
    event.kind === 'commit'
      ? [
          <GitCommitHorizontal key="i" size={13} aria-hidden />,
          <>
            Commit <code className="font-mono text-xs">{name.slice(0, 12)}</code> {event.input}
          </>,
        ]
      : event.kind === 'pull_request'
        ? [
            <GitPullRequest key="i" size={13} aria-hidden />,
            <>
              Pull request{' '}
              {name.startsWith('https://') ? (
                <a
                  href={name}
                  target="_blank"
                  rel="noopener noreferrer nofollow"
                  className="text-accent underline"
                >
                  {name}
                </a>
              ) : (
                name
              )}
            </>,
          ]
        : event.kind === 'compaction'
          ? [
              <Minimize2 key="i" size={13} aria-hidden />,
              `The context was compacted (${name || 'not told why'})`,
            ]
          : event.kind === 'mode'
            ? [null, `Permission mode: ${name}`]
            : event.kind === 'end'
              ? [null, `The session ended (${name || 'not told why'})`]
              : [null, `Event ${name}`];
  return (
    <>
      <p className="flex min-w-0 flex-wrap items-center gap-2 text-sm wrap-anywhere">
        {icon}
        <span className="min-w-0">{text}</span>
      </p>
      {children.length > 0 && <Conversation nodes={children} />}
    </>
  );
}
