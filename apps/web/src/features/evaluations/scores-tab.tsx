import type { SpanDetail } from '@candela/contract';
import { useQuery } from '@tanstack/react-query';
import { useState } from 'react';
import { scoresQuery } from '../../api/evaluations.ts';
import { Button } from '../../ui/button.tsx';
import { Failure, SkeletonRows } from '../../ui/states.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { useShell } from '../shell/shell-search.ts';
import { ScoreList } from './score-list.tsx';
import { EvaluateDialog, SpanActions } from './span-actions.tsx';

/** Scores of a span, then those of its whole trace, with who gave them and why. */
export default function ScoresTab({ detail }: { detail: SpanDetail }) {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const { traceId, spanId } = detail;
  const query = useQuery({ ...scoresQuery(environment, { traceId }), enabled: can('viewer') });
  const rows = query.data ?? [];
  const own = rows.filter((row) => row.spanId === spanId);
  const ofTrace = rows.filter((row) => row.spanId === null);
  const elsewhere = rows.length - own.length - ofTrace.length;
  return (
    <div className="flex flex-col gap-3 p-3">
      {can('member') && <SpanActions spans={[{ traceId, spanId }]} />}
      {!can('viewer') ? (
        <p className="text-muted">Sign in to see scores.</p>
      ) : query.isPending ? (
        <SkeletonRows rows={3} label="Loading the scores" />
      ) : query.isLoadingError ? (
        <Failure error={query.error} onRetry={() => void query.refetch()} />
      ) : (
        <>
          {own.length === 0 && <p className="text-muted">This span has no scores.</p>}
          <ScoreList rows={own} />
          {ofTrace.length > 0 && (
            <section className="flex flex-col gap-2">
              <h3 className="text-sm text-muted">Of the whole trace</h3>
              <ScoreList rows={ofTrace} />
            </section>
          )}
          {elsewhere > 0 && (
            <p className="text-sm text-muted">
              Other spans of this trace have {elsewhere} {elsewhere === 1 ? 'score' : 'scores'}.
            </p>
          )}
        </>
      )}
    </div>
  );
}

/** Scores of a session and of what belongs to it. */
export function SessionScores({ sessionId }: { sessionId: string }) {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const query = useQuery({ ...scoresQuery(environment, { sessionId }), enabled: can('viewer') });
  const [evaluating, setEvaluating] = useState(false);
  const [said, setSaid] = useState('');
  const rows = query.data ?? [];
  if (!can('viewer')) return null;
  return (
    <section aria-label="Scores" className="flex flex-col gap-2">
      <div className="flex items-center gap-2">
        <h3 className="text-sm text-muted">Scores{rows.length > 0 && ` (${rows.length})`}</h3>
        {can('member') && (
          <Button className="ml-auto" onClick={() => setEvaluating(true)}>
            Evaluate …
          </Button>
        )}
      </div>
      <span role="status" className="text-sm text-muted empty:hidden">
        {said}
      </span>
      <ScoreList rows={rows.slice(0, 10)} />
      {evaluating && (
        <EvaluateDialog
          judged={{ sessionId }}
          onDone={(text) => {
            setSaid(text);
            setEvaluating(false);
          }}
          onClose={() => setEvaluating(false)}
        />
      )}
    </section>
  );
}
