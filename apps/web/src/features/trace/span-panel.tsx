import type { SpanDetail } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { CornerDownRight } from 'lucide-react';
import { lazy, type ReactNode, Suspense, useLayoutEffect, useRef } from 'react';
import { asksAgain, spanQuery, type TraceSpanOfTime } from '../../api/trace.ts';
import { cx } from '../../lib/cx.ts';
import { failureWords } from '../../lib/failure-words.ts';
import { exact, formatCost, formatCount, formatDuration, formatIso, formatTime } from '../../lib/format.ts';
import { zonePreference } from '../../lib/zone.ts';
import { CopyButton } from '../../ui/copy-button.tsx';
import { MiddleTruncation } from '../../ui/middle-truncation.tsx';
import { isName } from '../../ui/facts.tsx';
import { kindLabel, SpanGlyph } from '../../ui/span-glyph.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { StatusIcon } from '../../ui/status.tsx';
import { TabList, TabPanel } from '../../ui/tabs.tsx';
import { originWords, partLines } from './cost-origin.ts';
import { hasContent, MessagesTab } from './messages-tab.tsx';
import { LOOK_AGAIN_MS } from './still-running.ts';
import type { MessagePlace, SpanTab } from './trace-search.ts';
import type { TraceSpan } from './trace-spans.ts';

// Messages are what a span is opened for; the other tabs come when they are chosen.
const AttributesTab = lazy(() => import('./attributes-tab.tsx'));
const ScoresTab = lazy(() => import('../evaluations/scores-tab.tsx'));
const TraceLogs = lazy(() => import('./trace-logs.tsx'));
const recordTabs = () => import('./record-tabs.tsx');
const EventsTab = lazy(async () => ({ default: (await recordTabs()).EventsTab }));
const LinksTab = lazy(async () => ({ default: (await recordTabs()).LinksTab }));
const RawTab = lazy(async () => ({ default: (await recordTabs()).RawTab }));

/** One span whole. Its light facts show at once; messages and attributes follow. */
export function SpanPanel(props: {
  traceId: string;
  /** When the trace ran. */
  during: TraceSpanOfTime;
  span: TraceSpan;
  /** Whether another one with its id comes before it. */
  isRepeat: boolean;
  tab: SpanTab | undefined;
  onTab: (tab: SpanTab) => void;
  /** The message that the address names. */
  linked: MessagePlace | undefined;
  linkTo: LinkTo;
  /** Whether the trace is asked for again while it runs. */
  looksAgain: boolean;
  /** The failure below it that it passed on. */
  reason: TraceSpan | undefined;
  onSelect: (spanId: string) => void;
}) {
  const { span, traceId } = props;
  const query = useQuery({
    ...spanQuery(traceId, span.spanId, props.isRepeat ? span.light.startTime : undefined),
    refetchInterval: ({ state: { data } }) =>
      data && asksAgain(data, span.light, props.looksAgain) ? LOOK_AGAIN_MS : false,
  });
  const detail = query.data;
  const tab = props.tab ?? (detail === undefined ? 'messages' : firstFilled(detail));
  // Another span is read from its beginning; the panel itself stays, for it may have the focus.
  const shown = `${span.spanId} ${span.light.startTime} ${tab}`;
  const scroller = useRef<HTMLDivElement>(null);
  useLayoutEffect(() => {
    scroller.current?.scrollTo(0, 0);
  }, [shown]);
  const loading = <SkeletonRows rows={8} label="Loading the span" />;
  const tabs: readonly { id: SpanTab; label: string; count?: number }[] = [
    { id: 'messages', label: 'Messages' },
    {
      id: 'attributes',
      label: 'Attributes',
      ...(detail ? { count: detail.attributes.length } : {}),
    },
    { id: 'events', label: 'Events', ...(detail ? { count: detail.events.length } : {}) },
    { id: 'logs', label: 'Logs' },
    { id: 'links', label: 'Links', ...(detail ? { count: detail.links.length } : {}) },
    { id: 'scores', label: 'Scores' },
    { id: 'raw', label: 'Raw' },
  ];
  return (
    <div className="flex h-full min-h-0 flex-col" data-testid="span-panel">
      <SpanHead span={span} detail={detail} reason={props.reason} onSelect={props.onSelect} />
      <div className="flex shrink-0 items-center border-b border-line px-2">
        <TabList
          id="span-tabs"
          label="Span"
          value={tab}
          onChoose={props.onTab}
          tabClassName="h-8 px-2"
          tabs={tabs.map((entry) => ({
            value: entry.id,
            label: (
              <>
                {entry.label}
                {entry.count !== undefined && entry.count > 0 && (
                  <span className="ml-1 text-sm text-faint">{formatCount(entry.count)}</span>
                )}
              </>
            ),
          }))}
        />
      </div>
      <div ref={scroller} className="min-h-0 grow overflow-auto">
        <TabPanel
          id="span-tabs"
          value={tab}
          className={cx('min-h-full -outline-offset-2', tab === 'logs' && 'flex h-full flex-col')}
        >
          <Suspense key={shown} fallback={loading}>
            {tab === 'logs' ? (
              <TraceLogs
                traceId={traceId}
                during={props.during}
                // Its own failure is said above.
                spans={NO_SPANS}
                spanId={span.spanId}
                looksAgain={props.looksAgain}
              />
            ) : detail ? (
              <TabBody tab={tab} detail={detail} linked={props.linked} linkTo={props.linkTo} />
            ) : query.isError ? (
              <Failure error={query.error} onRetry={() => void query.refetch()} />
            ) : (
              loading
            )}
          </Suspense>
        </TabPanel>
      </div>
    </div>
  );
}

/** The first tab that has something to show. */
function firstFilled(detail: SpanDetail): SpanTab {
  if (hasContent(detail)) return 'messages';
  if (detail.attributes.length > 0) return 'attributes';
  if (detail.events.length > 0) return 'events';
  return detail.links.length > 0 ? 'links' : 'raw';
}

const NO_SPANS: readonly TraceSpan[] = [];

/** The address of a message of a span. */
export type LinkTo = (spanId: string, place: MessagePlace) => string;

function TabBody(props: {
  tab: Exclude<SpanTab, 'logs'>;
  detail: SpanDetail;
  linked: MessagePlace | undefined;
  linkTo: LinkTo;
}) {
  const { tab, detail, linked } = props;
  switch (tab) {
    case 'messages':
      return (
        <MessagesTab detail={detail} linked={linked} linkTo={(place) => props.linkTo(detail.spanId, place)} />
      );
    case 'attributes':
      return <AttributesTab detail={detail} />;
    case 'events':
      return <EventsTab detail={detail} />;
    case 'links':
      return <LinksTab detail={detail} />;
    case 'scores':
      return <ScoresTab detail={detail} />;
    case 'raw':
      return <RawTab detail={detail} />;
  }
}

function SpanHead(props: {
  span: TraceSpan;
  detail: SpanDetail | undefined;
  reason: TraceSpan | undefined;
  onSelect: (spanId: string) => void;
}) {
  const { span, detail, reason } = props;
  const { light } = span;
  const zone = zonePreference.use();
  const startMs = Date.parse(light.startTime);
  const usage = detail?.usage;
  const requested = detail?.requestModel;
  return (
    <header className="shrink-0 px-3 pt-2 pb-1">
      <div className="flex items-center gap-2">
        <SpanGlyph kind={span.reading} />
        <h2 className="flex min-w-0 font-semibold">
          <MiddleTruncation name={light.name || light.spanId} />
        </h2>
        {light.status === 'error' && <StatusIcon status="error" />}
        <CopyButton label="Copy span id" text={() => light.spanId} className="ml-auto h-6" />
      </div>
      <div className="mt-1 flex flex-wrap gap-x-4 gap-y-0.5 text-sm">
        <Fact label="Kind">{span.reading === 'other' ? light.kind : kindLabel(span.reading)}</Fact>
        <Fact label="Service">{light.service}</Fact>
        <Fact label="Start" title={formatIso(startMs)}>
          {formatTime(startMs, zone)}
        </Fact>
        <Fact
          label="Duration"
          title={
            light.unfinished
              ? 'The span was sent while it ran; its end never came'
              : exact(light.durationMs, ' ms')
          }
        >
          {light.unfinished ? 'no end yet' : formatDuration(light.durationMs)}
        </Fact>
        {light.timeToFirstTokenMs !== null && (
          <Fact label="First token" title={exact(light.timeToFirstTokenMs, ' ms')}>
            {formatDuration(light.timeToFirstTokenMs)}
          </Fact>
        )}
        {light.model !== null && (
          <Fact label="Model" title={requested && requested !== light.model ? `asked for ${requested}` : ''}>
            {light.model}
          </Fact>
        )}
        {light.provider !== null && <Fact label="Provider">{light.provider}</Fact>}
        {light.agent !== null && <Fact label="Agent">{light.agent}</Fact>}
        {light.tool !== null && <Fact label="Tool">{light.tool}</Fact>}
        {usage ? (
          <Fact
            label="Tokens"
            title={`fresh input ${exact(usage.input)}, cache read ${exact(usage.cacheRead)}, cache write ${exact(usage.cacheWrite)}, output ${exact(usage.output)}, reasoning ${exact(usage.reasoning)}`}
          >
            {tokenClasses(usage)}
          </Fact>
        ) : (
          light.inputTokens !== null && (
            <Fact label="Tokens">
              {formatCount(light.inputTokens)} → {formatCount(light.outputTokens)}
            </Fact>
          )
        )}
        {light.costUsd !== null && (
          <Fact
            label="Cost"
            title={[
              `${exact(light.costUsd, ' USD')}${originWords(detail?.costOrigin)}${detail?.emitterCostUsd ? `; the sender says ${exact(detail.emitterCostUsd, ' USD')}` : ''}${light.countsUsage ? '' : '; counted on another span'}`,
              ...partLines(detail?.costOrigin),
            ].join('\n')}
          >
            {formatCost(light.costUsd)}
            {(detail?.costOrigin?.kind === 'person' || detail?.costOrigin?.kind === 'sender') && (
              <span className="text-muted"> (sender)</span>
            )}
          </Fact>
        )}
        {light.costUsd === null &&
          light.countsUsage &&
          (light.inputTokens ?? 0) + (light.outputTokens ?? 0) > 0 && (
            <Fact
              label="Cost"
              title="The price list has no price for this model at this host, service tier or day."
            >
              unpriced
            </Fact>
          )}
        {detail?.finishReason && <Fact label="Finish reason">{detail.finishReason}</Fact>}
        {light.userId !== null && <Fact label="User">{light.userId}</Fact>}
        {light.sessionId !== null && <Fact label="Session">{light.sessionId}</Fact>}
      </div>
      {light.status === 'error' && (
        <div className="mt-1 rounded bg-danger-soft px-2 py-1 text-sm break-words whitespace-pre-wrap text-danger">
          <p>
            {failureWords(light) ??
              (reason ? 'It failed with what is below it.' : 'It failed and does not say why.')}
          </p>
          {reason && (
            <button
              type="button"
              className="mt-0.5 flex max-w-full items-start gap-1 text-left hover:underline"
              onClick={() => props.onSelect(reason.spanId)}
            >
              <CornerDownRight size={13} className="mt-0.5 shrink-0" aria-hidden />
              <span className="line-clamp-3 min-w-0">
                <span className="sr-only">Go to the reason: </span>
                <span className="font-medium">{reason.light.name}</span>: {failureWords(reason.light)}
              </span>
            </button>
          )}
        </div>
      )}
    </header>
  );
}

const tokenClasses = (usage: NonNullable<SpanDetail['usage']>): string =>
  [
    `${formatCount(usage.input)} in`,
    usage.cacheRead > 0 ? `${formatCount(usage.cacheRead)} cached` : '',
    usage.cacheWrite > 0 ? `${formatCount(usage.cacheWrite)} written` : '',
    `${formatCount(usage.output)} out`,
    usage.reasoning > 0 ? `${formatCount(usage.reasoning)} reasoning` : '',
  ]
    .filter(Boolean)
    .join(' · ');

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
