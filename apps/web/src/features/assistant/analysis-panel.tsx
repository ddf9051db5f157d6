import type { AnalysisFinding, AnalysisRun } from '@candela/contract';
import { useQuery, useQueryClient } from '@tanstack/react-query';
import { useEffect, useRef, useState } from 'react';
import { ANALYSIS_KEYS, type AnalysisScope, analysesQuery, runAnalysis } from '../../api/analysis.ts';
import { formatCost, formatCount, formatDuration } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { Button } from '../../ui/button.tsx';
import { ErrorLine } from '../../ui/error-line.tsx';
import { Fact, Facts } from '../../ui/facts.tsx';
import { Modal } from '../../ui/modal.tsx';
import { Segments } from '../../ui/segments.tsx';
import { When } from '../../ui/when.tsx';
import { useWhoAsks } from '../session/use-person.ts';
import { Loaded } from '../settings/page.tsx';
import { useShell } from '../shell/shell-search.ts';

const WORDS: Record<string, string> = {
  strengths: 'Strengths',
  improvements: 'Improvements',
  wrong_turns: 'Wrong turns',
  cost: 'Cost',
  token_efficiency: 'Token efficiency',
  path_analysis: 'Path',
  prompt_injection: 'Prompt injection',
  tool_misuse: 'Tool misuse',
};
const TONES = { info: 'plain', minor: 'accent', major: 'warn', critical: 'danger' } as const;

/** AI analyses of a trace or of one span: those there are, and a new one. */
export default function AnalysisPanel(props: {
  rootSpanId: string;
  selectedSpanId: string | undefined;
  onSpan: (spanId: string) => void;
  onClose: () => void;
}) {
  const { environment } = useShell();
  const { can } = useWhoAsks();
  const client = useQueryClient();
  const [scope, setScope] = useState<AnalysisScope>('trace');
  const spanId = scope === 'span' ? (props.selectedSpanId ?? props.rootSpanId) : props.rootSpanId;
  const query = useQuery(analysesQuery(environment, spanId, scope));
  const [step, setStep] = useState<string>();
  const [error, setError] = useState<unknown>();
  const abort = useRef<AbortController>(undefined);
  useEffect(() => () => abort.current?.abort(), []);
  const run = async () => {
    abort.current = new AbortController();
    setError(undefined);
    setStep('Beginning');
    try {
      await runAnalysis(environment, { spanId, scope }, setStep, abort.current.signal);
      await client.invalidateQueries({ queryKey: ANALYSIS_KEYS });
    } catch (thrown) {
      if (!abort.current.signal.aborted) setError(thrown);
    }
    setStep(undefined);
  };
  return (
    <Modal label="AI analysis" onClose={props.onClose} className="w-[min(860px,94vw)]">
      <header className="flex flex-wrap items-center gap-2 border-b border-line px-4 py-2">
        <h2 className="mr-auto text-lg font-semibold">AI analysis</h2>
        {props.selectedSpanId !== undefined && (
          <Segments
            label="Scope"
            value={scope}
            choices={['trace', 'span'] as const}
            nameOf={(each) => (each === 'trace' ? 'Trace' : 'Selected span')}
            onChoose={setScope}
          />
        )}
        {can('member') && (
          <Button look="primary" busy={step !== undefined} onClick={() => void run()}>
            Analyse
          </Button>
        )}
        <Button onClick={props.onClose}>Close</Button>
      </header>
      <div className="flex max-h-[70vh] flex-col gap-4 overflow-y-auto p-4">
        {step !== undefined && (
          <p role="status" className="animate-pulse text-muted">
            {step}…
          </p>
        )}
        <ErrorLine error={error} />
        <Loaded query={query} label="the analyses">
          {(runs) =>
            runs.length === 0 ? (
              <p className="py-6 text-center text-muted">
                Not analysed yet. Facts are computed first; then the model of the assistant is asked once.
              </p>
            ) : (
              runs.toReversed().map((each) => <Run key={each.id} run={each} onSpan={props.onSpan} />)
            )
          }
        </Loaded>
      </div>
    </Modal>
  );
}

function Run({ run, onSpan }: { run: AnalysisRun; onSpan: (spanId: string) => void }) {
  const { facts } = run;
  const shown = run.dimensions.filter(({ findings }) => findings.length > 0);
  return (
    <article aria-label={`Run ${run.runNumber}`} className="flex flex-col gap-3">
      <p className="flex flex-wrap items-center gap-2 text-sm text-muted">
        Run {run.runNumber} · {run.model} · <When time={run.createdAt} />
        {run.costUsd !== null && ` · ${formatCost(run.costUsd)}`}
        {run.worstSeverity !== null && <Badge tone={TONES[run.worstSeverity]}>{run.worstSeverity}</Badge>}
      </p>
      <p>{run.summary}</p>
      <Facts>
        <Fact label="Spans">{formatCount(facts.spans)}</Fact>
        <Fact label="Errors">{formatCount(facts.errors)}</Fact>
        <Fact label="Duration">{formatDuration(facts.durationMs)}</Fact>
        <Fact label="Tokens">{`${formatCount(facts.inputTokens)} in, ${formatCount(facts.outputTokens)} out`}</Fact>
        {facts.costUsd !== null && <Fact label="Cost">{formatCost(facts.costUsd)}</Fact>}
        <Fact label="Duplicate calls">{formatCount(facts.duplicates.length)}</Fact>
        <Fact label="Retries">{formatCount(facts.retries.length)}</Fact>
        <Fact label="Cache misses">{formatCount(facts.cacheMisses.length)}</Fact>
      </Facts>
      {shown.map(({ dimension, findings }) => (
        <section key={dimension} aria-label={WORDS[dimension] ?? dimension} className="flex flex-col gap-2">
          <h3 className="font-medium">{WORDS[dimension] ?? dimension}</h3>
          {findings.map((finding) => (
            <Finding key={finding.id} finding={finding} onSpan={onSpan} />
          ))}
        </section>
      ))}
    </article>
  );
}

function Finding({ finding, onSpan }: { finding: AnalysisFinding; onSpan: (spanId: string) => void }) {
  return (
    <div className="rounded-md border border-line p-2">
      <p className="flex flex-wrap items-center gap-2 wrap-anywhere">
        <Badge tone={TONES[finding.severity]}>{finding.severity}</Badge>
        {finding.summary}
      </p>
      <p className="text-sm whitespace-pre-wrap wrap-anywhere text-muted">{finding.detail}</p>
      {finding.suggestedFix !== null && (
        <p className="mt-1 text-sm whitespace-pre-wrap wrap-anywhere">{finding.suggestedFix}</p>
      )}
      {finding.spanRefs.length > 0 && (
        <p className="mt-1 flex flex-wrap gap-1">
          {finding.spanRefs.map((id) => (
            <Button key={id} look="plain" className="h-6 font-mono text-xs" onClick={() => onSpan(id)}>
              {id}
            </Button>
          ))}
        </p>
      )}
    </div>
  );
}
