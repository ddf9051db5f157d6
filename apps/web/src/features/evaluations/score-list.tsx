import type { ScoreView } from '@candela/contract';
import { DASH } from '../../lib/format.ts';
import { Badge } from '../../ui/badge.tsx';
import { When } from '../../ui/when.tsx';

/** A score in three decimals, without the zeros behind. */
export const scoreText = (value: number | null) => (value === null ? DASH : String(Number(value.toFixed(3))));

/** Pass or fail as a badge. */
export function Verdict({ verdict }: { verdict: 'pass' | 'fail' | null }) {
  if (verdict === null) return DASH;
  return <Badge tone={verdict === 'pass' ? 'ok' : 'danger'}>{verdict}</Badge>;
}

const SOURCES: Record<ScoreView['source'], string> = {
  judge: 'a model',
  code: 'a check',
  human: 'a reviewer',
  user: 'a user',
  api: 'the API',
  otel: 'the sender',
};

/** Who gave a score. */
const saidBy = ({ source, judgeModel, reviewer, userId }: ScoreView): string =>
  judgeModel ?? reviewer ?? (source === 'user' ? userId : null) ?? SOURCES[source];

/** Scores one under another: what each says, why, and who said it. */
export function ScoreList({ rows }: { rows: readonly ScoreView[] }) {
  return (
    <ul className="flex flex-col gap-2">
      {rows.map((row) => (
        <li key={`${row.environment} ${row.id}`} className="rounded-md border border-line bg-surface p-2">
          <p className="flex flex-wrap items-center gap-2">
            <span className="font-medium wrap-anywhere">{row.name}</span>
            {row.errorType === null ? (
              row.verdict !== null && <Verdict verdict={row.verdict} />
            ) : (
              <Badge tone="warn">not judged: {row.errorType}</Badge>
            )}
            {row.value !== null && <span>{scoreText(row.value)}</span>}
            {row.label !== null && row.label !== 'none' && <span className="text-muted">{row.label}</span>}
            <span className="ml-auto text-sm text-muted">
              {saidBy(row)} · <When time={row.time} />
            </span>
          </p>
          {row.explanation !== null && (
            <p className="mt-1 text-sm wrap-anywhere whitespace-pre-wrap text-muted">{row.explanation}</p>
          )}
        </li>
      ))}
    </ul>
  );
}
