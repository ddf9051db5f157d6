import type { SqlResult } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { getRouteApi } from '@tanstack/react-router';
import { Play, Square } from 'lucide-react';
import { useEffect, useMemo, useRef, useState } from 'react';
import { attributeKeysQuery, runSql, sqlSchemaQuery } from '../../api/chat.ts';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { CopyButton } from '../../ui/copy-button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { PAGE_COLUMN } from '../../ui/page-column.ts';
import { Notice } from '../../ui/states.tsx';
import { ResultView } from '../assistant/result-view.tsx';
import { SavedViewsMenu } from '../explore/saved-views.tsx';
import { useShell } from '../shell/shell-search.ts';

const route = getRouteApi('/sql');
const FIRST =
  'SELECT ServiceName AS service, count() AS spans\nFROM otel_traces\nGROUP BY service\nORDER BY spans DESC\nLIMIT 20';
const KEYWORDS = ['SELECT', 'FROM', 'WHERE', 'GROUP BY', 'ORDER BY', 'LIMIT', 'HAVING', 'WITH', 'JOIN', 'AS'];
/** Rows of an answer that is downloaded from here. */
const ROWS = 10_000;

/** Statements over traces and metrics: written, run, drawn, kept and shared. */
export function SqlPage() {
  const { environment, range } = useShell();
  const { sql } = route.useSearch();
  const navigate = route.useNavigate();
  const [text, setText] = useState(sql ?? FIRST);
  const [answer, setAnswer] = useState<{ readonly sql: string; readonly result: SqlResult }>();
  const [error, setError] = useState<unknown>();
  const [running, setRunning] = useState<AbortController>();
  const last = useRef<AbortController>(undefined);
  const words = useWords(environment);
  useEffect(() => () => last.current?.abort(), []);
  // A saved query, or the way back.
  const [shown, setShown] = useState(sql);
  if (sql !== shown) {
    setShown(sql);
    if (sql !== undefined && sql !== text) setText(sql);
  }
  const run = async () => {
    last.current?.abort();
    const abort = new AbortController();
    last.current = abort;
    setRunning(abort);
    setError(undefined);
    const query = text.trim();
    void navigate({ search: (before) => ({ ...before, sql: query }) as typeof before, replace: true });
    try {
      const result = await runSql(environment, { query, ...range, limit: ROWS }, abort.signal);
      if (last.current === abort) setAnswer({ sql: query, result });
    } catch (thrown) {
      if (!abort.signal.aborted) setError(thrown);
    }
    if (last.current === abort) setRunning(undefined);
  };
  return (
    <div className={PAGE_COLUMN}>
      <title>SQL · Candela</title>
      <h1 className="sr-only">SQL</h1>
      <div className="flex min-h-0 grow flex-col gap-3 overflow-auto p-3">
        <CodeEditor
          label="Statement"
          value={text}
          onValue={setText}
          words={words}
          onRun={() => void run()}
          className="h-48 shrink-0 resize-y"
        />
        <div className="flex flex-wrap items-center gap-2">
          {running === undefined ? (
            <Button
              look="primary"
              className="h-8"
              title="Run (Ctrl Enter)"
              disabled={text.trim() === ''}
              onClick={() => void run()}
            >
              <Play size={14} aria-hidden />
              Run
            </Button>
          ) : (
            <Button
              className="h-8"
              onClick={() => {
                running.abort();
                setRunning(undefined);
              }}
            >
              <Square size={14} aria-hidden />
              Stop
            </Button>
          )}
          <SavedViewsMenu page="sql" signal="spans" />
          <CopyButton label="Copy the address" text={() => globalThis.location.href} />
          <p className="text-xs text-muted">
            One SELECT over otel_traces and otel_metrics_*, which hold this project, environment and time
            range.
          </p>
        </div>
        <ErrorLine error={error} />
        {running !== undefined && <div role="status" aria-label="Running" className="skeleton h-40" />}
        {running === undefined && answer !== undefined && (
          <ResultView
            key={answer.sql}
            title="Rows"
            sql={answer.sql}
            result={answer.result}
            chart={null}
            height={420}
          />
        )}
        {running === undefined && answer === undefined && error === undefined && (
          <Notice title="Write a statement and run it">
            Names of tables, columns, attributes and functions are offered while you write.
          </Notice>
        )}
      </div>
    </div>
  );
}

function useWords(environment: string | undefined) {
  const schema = useQuery(sqlSchemaQuery()).data;
  const fields = useQuery(attributeKeysQuery(environment)).data;
  return useMemo(() => {
    const columns = new Map(
      (schema?.tables ?? []).flatMap((table) =>
        table.columns.map(({ name, type, about }) => [name, about === '' ? type : about] as const),
      ),
    );
    const attributes = (fields?.fields ?? []).flatMap(({ field }) => {
      const [, map = '', key = ''] = /^(attributes|resource)\.(.+)$/.exec(field) ?? [];
      if (key === '' || key.includes("'") || key.includes('\\')) return [];
      return [`${map === 'resource' ? 'ResourceAttributes' : 'SpanAttributes'}['${key}']`];
    });
    return [
      ...(schema?.tables ?? []).map(({ name, about }) => ({
        label: name,
        detail: about,
        type: 'class' as const,
      })),
      ...Array.from(columns, ([label, detail]) => ({ label, detail, type: 'property' as const })),
      ...attributes.map((label) => ({ label, detail: 'attribute', type: 'property' as const })),
      ...(schema?.functions ?? []).map((label) => ({ label, type: 'function' as const })),
      ...KEYWORDS.map((label) => ({ label, type: 'keyword' as const })),
    ];
  }, [schema, fields]);
}
