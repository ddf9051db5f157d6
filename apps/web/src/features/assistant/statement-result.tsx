import type { ChatChart, SqlResult } from '@candela/contract';
import { Link } from '@tanstack/react-router';
import { Play, Square } from 'lucide-react';
import { useEffect, useRef, useState } from 'react';
import { runSql } from '../../api/chat.ts';
import { Button } from '../../ui/button.tsx';
import { CodeEditor } from '../../ui/code-editor.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { useShell } from '../shell/shell-search.ts';
import { ResultView } from './result-view.tsx';

interface Shown {
  readonly sql: string;
  readonly result: SqlResult;
  readonly chart: ChatChart | null;
}

/** Rows of a statement within an answer; the statement is changed and run again where it stands. */
export function StatementResult(props: Shown & { from: string; to: string }) {
  const { environment } = useShell();
  const { sql, result, chart, from, to } = props;
  const [text, setText] = useState<string>();
  const [mine, setMine] = useState<Shown>();
  const [error, setError] = useState<unknown>();
  const [running, setRunning] = useState<AbortController>();
  const last = useRef<AbortController>(undefined);
  useEffect(() => () => last.current?.abort(), []);
  const shown = mine ?? { sql, result, chart };
  const run = async () => {
    const query = text?.trim() ?? '';
    if (query === '') return;
    last.current?.abort();
    const abort = new AbortController();
    last.current = abort;
    setRunning(abort);
    setError(undefined);
    try {
      const answer = await runSql(environment, { query, from, to }, abort.signal);
      setMine({ sql: query, result: answer, chart: null });
    } catch (thrown) {
      if (!abort.signal.aborted) setError(thrown);
    }
    if (last.current === abort) setRunning(undefined);
  };
  return (
    <div className="flex min-w-0 flex-col gap-2">
      {text !== undefined && (
        <>
          <CodeEditor
            label="Statement"
            value={text}
            onValue={setText}
            onRun={() => void run()}
            className="h-32 shrink-0 resize-y"
          />
          <div className="flex flex-wrap items-center gap-2">
            {running === undefined ? (
              <Button look="primary" disabled={text.trim() === ''} onClick={() => void run()}>
                <Play size={13} aria-hidden />
                Run
              </Button>
            ) : (
              <Button
                onClick={() => {
                  running.abort();
                  setRunning(undefined);
                }}
              >
                <Square size={13} aria-hidden />
                Stop
              </Button>
            )}
            <Button
              onClick={() => {
                last.current?.abort();
                setRunning(undefined);
                setText(undefined);
                setMine(undefined);
                setError(undefined);
              }}
            >
              Back to the answer’s
            </Button>
            <Link to="/sql" search={{ sql: text }} className="text-sm text-accent underline">
              Open in SQL
            </Link>
            {mine !== undefined && (
              <p className="text-xs text-muted">These rows are of your statement, not of the answer.</p>
            )}
          </div>
          <ErrorLine error={error} />
        </>
      )}
      <ResultView
        key={shown.sql}
        title="Result"
        sql={shown.sql}
        result={shown.result}
        chart={shown.chart}
        {...(text === undefined ? { onEdit: () => setText(shown.sql) } : {})}
      />
    </div>
  );
}
