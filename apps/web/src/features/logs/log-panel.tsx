import type { LogDetail, LogRow } from '@candela/contract';
import { entityKey } from '@candela/kernel';
import { useQuery } from '@tanstack/react-query';
import { Link } from '@tanstack/react-router';
import { X } from 'lucide-react';
import { type ReactNode, useLayoutEffect, useRef } from 'react';
import { addressOf } from '../../api/client.ts';
import { logQuery } from '../../api/logs.ts';
import { cx } from '../../lib/cx.ts';
import { curlOf } from '../../lib/curl.ts';
import { exact, formatCost, formatCount, formatIso, formatTime } from '../../lib/format.ts';
import { useHotkey } from '../../lib/hotkeys.ts';
import { useFocusBack } from '../../lib/use-focus-back.ts';
import { zonePreference } from '../../lib/zone.ts';
import { Button } from '../../ui/button.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { isName } from '../../ui/facts.tsx';
import { JsonView, LongText, structuredJson } from '../../ui/json-view.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import { MessageView } from '../trace/message-view.tsx';
import { LogAttributes } from './log-attributes.tsx';
import { LogContext } from './log-context.tsx';
import { withoutAnsi } from './log-text.ts';
import type { LogTab } from './logs-search.ts';
import { SeverityLabel } from './severity.tsx';

const TABS: readonly { id: LogTab; label: string }[] = [
  { id: 'body', label: 'Body' },
  { id: 'attributes', label: 'Attributes' },
  { id: 'context', label: 'Context' },
];
const MOST_BODY = 20_000;
/** A name that leads to its page. */
const WAY = 'text-accent hover:underline';

/** One record whole, beside the list. */
export default function LogPanel(props: {
  id: string;
  tab: LogTab;
  onTab: (tab: LogTab) => void;
  onClose: () => void;
  /** Adds a condition to the search. */
  onFilter: (term: string) => void;
  onOpen: (row: LogRow) => void;
}) {
  const query = useQuery(logQuery(props.id));
  const panel = useRef<HTMLElement>(null);
  useFocusBack(panel);
  // Another record is read from its beginning; the panel itself stays, for it may have the focus.
  const scroller = useRef<HTMLDivElement>(null);
  const shown = `${props.id} ${props.tab}`;
  useLayoutEffect(() => {
    scroller.current?.scrollTo(0, 0);
  }, [shown]);
  useHotkey('Escape', props.onClose, { label: 'Close the record', group: 'Logs' });
  const detail = query.data;
  return (
    <aside
      ref={panel}
      aria-label="Log record"
      data-testid="log-panel"
      className="flex min-h-0 w-[44%] min-w-96 shrink-0 flex-col border-l border-line bg-bg max-lg:fixed max-lg:inset-x-0 max-lg:bottom-0 max-lg:z-20 max-lg:h-2/3 max-lg:w-full max-lg:min-w-0 max-lg:border-t"
    >
      {/* On a telephone what copies has a line of its own, below tabs and cross; the keyboard goes as the eye does. */}
      <div className="flex shrink-0 items-center border-b border-line px-2 [reading-flow:flex-visual] max-sm:flex-wrap">
        <TabList
          id="log-tabs"
          label="Log record"
          value={props.tab}
          onChoose={props.onTab}
          tabClassName="h-8 px-2"
          tabs={TABS.map((entry) => ({ value: entry.id, label: entry.label }))}
        />
        <Button
          look="plain"
          className={cx('ml-auto h-7 sm:order-last', detail && 'sm:ml-0')}
          aria-label="Close the record"
          title="Close (Esc)"
          onClick={props.onClose}
        >
          <X size={15} aria-hidden />
        </Button>
        {detail && (
          <span className="ml-auto flex items-center max-sm:basis-full max-sm:justify-end">
            <CopyButton label="Copy the line" text={() => lineOf(detail)} className="h-6">
              Line
            </CopyButton>
            <CopyButton label="Copy as JSON" text={() => JSON.stringify(detail, null, 2)} className="h-6">
              JSON
            </CopyButton>
            <CopyButton
              label="Copy as cURL"
              text={() => curlOf(location.origin, addressOf('getLog', { params: { id: detail.id } }))}
              className="h-6"
            >
              cURL
            </CopyButton>
          </span>
        )}
      </div>
      {detail && <LogHead detail={detail} />}
      <div ref={scroller} className="min-h-0 grow overflow-auto" tabIndex={-1}>
        <TabPanel id="log-tabs" value={props.tab} className="min-h-full -outline-offset-2">
          {props.tab === 'context' ? (
            <LogContext id={props.id} onOpen={props.onOpen} />
          ) : query.isPending ? (
            <SkeletonRows rows={8} label="Loading the record" />
          ) : query.isLoadingError ? (
            <Failure error={query.error} onRetry={() => void query.refetch()} />
          ) : props.tab === 'body' ? (
            <Body key={props.id} detail={query.data} />
          ) : (
            <LogAttributes key={props.id} detail={query.data} onFilter={props.onFilter} />
          )}
        </TabPanel>
      </div>
    </aside>
  );
}

/** Time, severity, service and text, as a log file would have it. */
const lineOf = (detail: LogDetail): string =>
  `${detail.timestamp} ${detail.severity.toUpperCase()} ${detail.service} ${withoutAnsi(detail.body || (detail.eventName ?? ''))}`;

function LogHead({ detail }: { detail: LogDetail }) {
  const zone = zonePreference.use();
  const ms = Date.parse(detail.timestamp);
  return (
    <header className="flex shrink-0 flex-wrap items-center gap-x-4 gap-y-0.5 border-b border-line px-3 py-2 text-sm">
      <SeverityLabel severity={detail.severity} text={detail.severityText} />
      <Fact label="Time" title={`${formatIso(ms)}; observed ${detail.observedTimestamp}`}>
        {formatTime(ms, zone)}
      </Fact>
      <Fact label="Service">{detail.service || '–'}</Fact>
      {detail.eventName !== null && <Fact label="Event">{detail.eventName}</Fact>}
      {detail.model !== null && <Fact label="Model">{detail.model}</Fact>}
      {detail.agent !== null && (
        <Fact label="Agent">
          <Link to="/agents/$agent" params={{ agent: entityKey(detail.agent) }} className={WAY}>
            {detail.agent}
          </Link>
        </Fact>
      )}
      {detail.tool !== null && <Fact label="Tool">{detail.tool}</Fact>}
      {detail.inputTokens !== null && (
        <Fact label="Tokens" title={`${exact(detail.inputTokens)} in, ${exact(detail.outputTokens)} out`}>
          {formatCount(detail.inputTokens)} → {formatCount(detail.outputTokens)}
        </Fact>
      )}
      {detail.costUsd !== null && <Fact label="Cost">{formatCost(detail.costUsd)}</Fact>}
      {detail.userId !== null && (
        <Fact label="User">
          <Link to="/users/$user" params={{ user: entityKey(detail.userId) }} className={WAY}>
            {detail.userId}
          </Link>
        </Fact>
      )}
      {detail.sessionId !== null && (
        <Fact label="Session">
          <Link to="/sessions/$session" params={{ session: entityKey(detail.sessionId) }} className={WAY}>
            {detail.sessionId}
          </Link>
        </Fact>
      )}
      {detail.traceId !== null && (
        <Link
          to="/traces/$traceId"
          params={{ traceId: detail.traceId }}
          search={detail.spanId === null ? {} : { span: detail.spanId }}
          className="text-accent underline"
        >
          {detail.spanId === null ? 'Open the trace' : 'Open the span in its trace'}
        </Link>
      )}
    </header>
  );
}

function Fact({ label, title, children }: { label: string; title?: string; children: ReactNode }) {
  return (
    <span title={title} className="inline-flex max-w-80 gap-1">
      <span className="text-muted">{label}</span>
      <span className="min-w-0 truncate">
        {isName(children) ? <MiddleTruncation name={children} /> : children}
      </span>
    </span>
  );
}

function Body({ detail }: { detail: LogDetail }) {
  const { conversation } = detail;
  const messages = conversation === null ? [] : [...conversation.input, ...conversation.output];
  // Some events repeat their name as their body.
  const body = detail.body === detail.eventName ? '' : detail.body;
  const json = structuredJson(body);
  return (
    <div className="flex flex-col gap-3 p-3">
      {messages.map((message, index) => (
        <MessageView key={index} message={message} />
      ))}
      {messages.length > 0 && body !== '' && <h3 className="text-sm text-muted">As it was sent</h3>}
      {body === '' ? (
        messages.length === 0 && <p className="text-muted">This record has no body; see its attributes.</p>
      ) : (
        <div className="group relative rounded-md border border-line bg-surface p-3">
          {json === undefined ? (
            <pre className="font-mono text-sm break-words whitespace-pre-wrap">
              <LongText text={withoutAnsi(body)} most={MOST_BODY} />
            </pre>
          ) : (
            <JsonView value={json} />
          )}
          <span className="absolute top-1 right-1 rounded bg-surface opacity-0 group-focus-within:opacity-100 group-hover:opacity-100">
            <CopyButton label="Copy the body" text={() => detail.body} />
          </span>
        </div>
      )}
      <ExceptionBox detail={detail} />
    </div>
  );
}

/** What the record says was thrown, since it is what one opens it for. */
function ExceptionBox({ detail }: { detail: LogDetail }) {
  const text = (key: string): string => {
    const value = detail.attributes.find((attribute) => attribute.key === key)?.value;
    return typeof value === 'string' ? value : '';
  };
  const type = text('exception.type');
  const message = text('exception.message');
  const stack = text('exception.stacktrace');
  if (type === '' && message === '' && stack === '') return null;
  return (
    <section className="flex flex-col gap-1">
      <h3 className="text-sm text-muted">Exception</h3>
      <div className="rounded-md bg-danger-soft px-2 py-1 text-sm break-words whitespace-pre-wrap text-danger">
        <span className="font-medium">{type}</span> {message}
      </div>
      {stack !== '' && (
        <pre className="overflow-x-auto rounded-md border border-line bg-surface p-3 font-mono text-sm whitespace-pre">
          <LongText text={stack} most={MOST_BODY} />
        </pre>
      )}
    </section>
  );
}
