import type { ChatPart } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { Check, CircleAlert, LoaderCircle } from 'lucide-react';
import { BOARD_KEYS, importBoard } from '../../api/boards.ts';
import { ownTarget } from '../../lib/markdown/safe-target.ts';
import { useApiMutation } from '../../lib/use-api-mutation.ts';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { ApprovalCard } from './approval-card.tsx';
import { StatementResult } from './statement-result.tsx';

type Tool = Extract<ChatPart, { kind: 'tool' }>;

const textOf = (value: unknown): string => (typeof value === 'string' ? value : '');

/** A step of an answer: what was asked of which tool, and what came of it. */
export function ToolView(props: {
  tool: Tool;
  busy: boolean;
  onDecide: Parameters<typeof ApprovalCard>[0]['onDecide'];
}) {
  const { tool, busy, onDecide } = props;
  if (tool.state === 'waiting') return <ApprovalCard tool={tool} busy={busy} onDecide={onDecide} />;
  const input = typeof tool.input === 'object' && tool.input !== null ? tool.input : {};
  const sql = tool.name === 'run_sql' ? textOf(Reflect.get(input, 'query')) : '';
  const url = tool.url === null ? '' : ownTarget(tool.url);
  return (
    <div className="flex min-w-0 flex-col gap-2 rounded-md border border-line bg-surface p-2">
      <details>
        <summary className="flex cursor-pointer items-center gap-1.5 text-sm text-muted">
          <StateIcon state={tool.state} />
          <span className="shrink-0">{tool.title}</span>
          <span className="truncate font-mono text-xs">{sql === '' ? (tool.detail ?? '') : sql}</span>
        </summary>
        <pre className="mt-1 max-h-72 overflow-auto rounded-md bg-sunken p-2 font-mono text-xs whitespace-pre-wrap wrap-anywhere">
          {sql === '' ? JSON.stringify(tool.input, null, 2) : sql}
        </pre>
      </details>
      {tool.state === 'failed' && <p className="text-sm wrap-anywhere text-danger">{tool.detail}</p>}
      {tool.result !== null && (
        <StatementResult
          sql={sql}
          result={tool.result}
          chart={tool.chart}
          from={textOf(Reflect.get(input, 'from')) || '-7d'}
          to={textOf(Reflect.get(input, 'to')) || 'now'}
        />
      )}
      {tool.layout != null && <ImportLayout layout={tool.layout as Record<string, unknown>} />}
      {url !== '' && (
        <a href={url} className="self-start text-sm text-accent underline">
          Open the page
        </a>
      )}
    </div>
  );
}

function StateIcon({ state }: { state: Tool['state'] }) {
  if (state === 'running')
    return <LoaderCircle size={13} className="shrink-0 animate-spin" aria-label="running" />;
  if (state === 'failed')
    return <CircleAlert size={13} className="shrink-0 text-danger" aria-label="failed" />;
  if (state === 'denied')
    return <CircleAlert size={13} className="shrink-0 text-muted" aria-label="denied" />;
  return <Check size={13} className="shrink-0 text-ok" aria-label="done" />;
}

function ImportLayout({ layout }: { layout: Record<string, unknown> }) {
  const made = useApiMutation(importBoard, { touches: [BOARD_KEYS] });
  const widgets = Array.isArray(layout['widgets']) ? layout['widgets'].length : 0;
  return (
    <div className="flex flex-wrap items-center gap-2 text-sm">
      <span className="mr-auto">
        Dashboard “{textOf(layout['title'])}” with {widgets} widgets
      </span>
      <ErrorLine error={made.error} />
      {made.data === undefined ? (
        <Button look="primary" busy={made.isPending} onClick={() => made.mutate({ document: layout })}>
          Import the dashboard
        </Button>
      ) : (
        <Link to="/boards/$board" params={{ board: made.data.board.id }} className="text-accent underline">
          Open the dashboard
        </Link>
      )}
    </div>
  );
}
