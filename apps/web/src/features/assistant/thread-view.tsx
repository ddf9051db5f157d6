import type { ChatMessage } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { Link, useRouterState } from '@tanstack/react-router';
import { RotateCcw, SquarePen } from 'lucide-react';
import { lazy, Suspense, useEffect, useRef, useState } from 'react';
import { chatConfigQuery, createChat } from '../../api/chat.ts';
import { formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Failure, Notice, SkeletonRows } from '../../ui/states.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { Composer } from './composer.tsx';
import { ToolView } from './tool-view.tsx';
import { type Thread, useThread } from './use-thread.ts';

const SafeMarkdown = lazy(() => import('../../ui/markdown.tsx'));

const EXAMPLES = [
  'What did each model cost in the last 7 days?',
  'Which tools fail most?',
  'How did the error rate develop by hour today?',
];

/** What is on screen, so that a question can be about it. */
function usePageContext() {
  const { pathname, searchStr } = useRouterState({ select: ({ location }) => location });
  const traceId = /^\/traces\/([0-9a-f]{32})/.exec(pathname)?.[1];
  const spanId = new URLSearchParams(searchStr).get('span') ?? '';
  return {
    path: pathname.slice(0, 500),
    search: searchStr.slice(0, 2_000),
    ...(traceId === undefined ? {} : { traceId }),
    ...(/^[0-9a-f]{16}$/.test(spanId) ? { spanId } : {}),
  };
}

/** A conversation with its questions, answers and the box for the next one. */
export function ThreadView(props: {
  chatId: string | undefined;
  onChat: (id: string) => void;
  /** The page beside it belongs to the question. */
  withPage?: true;
}) {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const config = useQuery(chatConfigQuery(environment));
  const thread = useThread(environment, props.chatId);
  const page = usePageContext();
  const [text, setText] = useState('');
  const [edited, setEdited] = useState<ChatMessage>();
  const [failed, setFailed] = useState<unknown>();
  const { query, busy } = thread;
  const messages = props.chatId === undefined ? [] : (query.data?.thread ?? []);

  const ask = async (content: string, replaces?: string) => {
    setFailed(undefined);
    try {
      const chatId = props.chatId ?? (await createChat(environment)).id;
      props.onChat(chatId);
      setText('');
      setEdited(undefined);
      await thread.take(chatId, {
        route: 'sendMessage',
        body: {
          conversationId: chatId,
          content,
          ...(props.withPage === true ? { page } : {}),
          ...(replaces === undefined ? {} : { replaces }),
        },
      });
    } catch (thrown) {
      setFailed(thrown);
    }
  };
  if (config.isPending) return <SkeletonRows rows={4} label="Loading the assistant" />;
  if (config.isLoadingError) return <Failure error={config.error} onRetry={() => void config.refetch()} />;
  const missing = config.data?.missing ?? null;
  if (missing !== null) {
    return (
      <Notice title="The assistant has no model yet">
        <p>{missing}</p>
        {can('admin') ? (
          <Link to="/settings/assistant" className="text-accent underline">
            Choose one in Settings
          </Link>
        ) : (
          <p>An admin or owner can choose one in Settings, Assistant.</p>
        )}
      </Notice>
    );
  }
  return (
    <div className="flex h-full min-h-0 flex-col">
      <div className="min-h-0 grow overflow-y-auto p-3">
        {props.chatId !== undefined && query.isLoadingError ? (
          <Failure error={query.error} onRetry={() => void query.refetch()} />
        ) : (
          <div className="mx-auto flex max-w-4xl flex-col gap-4" role="log" aria-label="Conversation">
            {messages.length === 0 && <Examples onAsk={(example) => void ask(example)} />}
            {messages.map((message) => (
              <Message
                key={message.id}
                message={message}
                thread={thread}
                chatId={props.chatId ?? ''}
                onEdit={() => {
                  setEdited(message);
                  setText(textIn(message));
                }}
                onAgain={() => {
                  const question = messages.findLast(({ role, seq }) => role === 'user' && seq < message.seq);
                  if (question !== undefined) void ask(textIn(question), question.id);
                }}
              />
            ))}
            <ErrorLine error={failed ?? thread.error} />
            <End of={messages} />
          </div>
        )}
      </div>
      {can('member') ? (
        <Composer
          text={text}
          edited={edited !== undefined}
          busy={busy}
          onText={setText}
          onCancel={() => {
            setEdited(undefined);
            setText('');
          }}
          onStop={thread.stop}
          onAsk={() => void ask(text, edited?.id)}
        />
      ) : (
        <p className="border-t border-line p-3 text-sm text-muted">Members and above may ask.</p>
      )}
    </div>
  );
}

const textIn = ({ parts }: ChatMessage): string =>
  parts.flatMap((part) => (part.kind === 'text' ? [part.text] : [])).join('\n\n');

/** Keeps the newest words in sight. */
function End({ of: messages }: { of: readonly ChatMessage[] }) {
  const ref = useRef<HTMLDivElement>(null);
  const last = messages.at(-1);
  const size = last === undefined ? 0 : last.parts.length;
  useEffect(() => {
    ref.current?.scrollIntoView({ block: 'nearest' });
  }, [messages.length, size]);
  return <div ref={ref} />;
}

function Examples({ onAsk }: { onAsk: (text: string) => void }) {
  const { can } = useWhoAsks();
  return (
    <Notice title="Ask about your telemetry">
      <p>Answers come with the statement and the rows behind them.</p>
      {can('member') && (
        <ul className="flex flex-col items-center gap-2">
          {EXAMPLES.map((example) => (
            <li key={example}>
              <Button onClick={() => onAsk(example)} className="h-auto min-h-7 whitespace-normal">
                {example}
              </Button>
            </li>
          ))}
        </ul>
      )}
    </Notice>
  );
}

function Message(props: {
  message: ChatMessage;
  thread: Thread;
  chatId: string;
  onEdit: () => void;
  onAgain: () => void;
}) {
  const { message, thread, chatId } = props;
  const { can } = useWhoAsks();
  if (message.role === 'user') {
    return (
      <article aria-label="Question" className="group flex flex-col items-end gap-1">
        <div className="max-w-[85%] rounded-md bg-selected px-3 py-2 whitespace-pre-wrap wrap-anywhere">
          {textIn(message)}
        </div>
        {can('member') && (
          <Button
            look="plain"
            className="h-6"
            disabled={thread.busy}
            onClick={props.onEdit}
            aria-label="Edit the question"
          >
            <SquarePen size={13} aria-hidden />
          </Button>
        )}
      </article>
    );
  }
  const isRunning = message.status === 'running';
  const { usage } = message;
  return (
    <article aria-label="Answer" aria-busy={isRunning} className="flex min-w-0 flex-col gap-2">
      {message.parts.map((part, index) =>
        part.kind === 'text' ? (
          <Suspense key={index} fallback={<p className="whitespace-pre-wrap">{part.text}</p>}>
            <SafeMarkdown text={part.text} ownLinks />
          </Suspense>
        ) : (
          <ToolView
            key={part.callId}
            tool={part}
            busy={thread.busy}
            onDecide={(id, body) => void thread.take(chatId, { route: 'decideApproval', id, body })}
          />
        ),
      )}
      {isRunning && (
        <p role="status" className="animate-pulse text-sm text-muted">
          {message.parts.length === 0 ? 'Thinking…' : 'Working…'}
        </p>
      )}
      {message.err !== null && (
        <p role="alert" className="text-sm text-danger">
          {message.err}
        </p>
      )}
      {!isRunning && (
        <footer className="flex flex-wrap items-center gap-2 text-xs text-muted">
          {message.status === 'stopped' && <span>Stopped</span>}
          {usage !== null && (
            <span>
              {formatCount(usage.inputTokens)} in · {formatCount(usage.outputTokens)} out
              {usage.costUsd === null ? '' : ` · ${formatCost(usage.costUsd)}`}
            </span>
          )}
          {message.durationMs !== null && <span>{formatDuration(message.durationMs)}</span>}
          <CopyButton label="Copy the answer" text={() => textIn(message)} />
          {can('member') && (
            <Button
              look="plain"
              className="h-6"
              disabled={thread.busy}
              onClick={props.onAgain}
              aria-label="Ask again"
              title="Ask again"
            >
              <RotateCcw size={13} aria-hidden />
            </Button>
          )}
        </footer>
      )}
    </article>
  );
}
