import type { RuleExplanation } from '@candela/contract';
import { Check, X } from 'lucide-react';
import { cx } from '../../lib/cx.ts';

/** What an explanation is made of, wherever it was worked out. */
interface Told extends Pick<RuleExplanation, 'result' | 'why'> {
  readonly groups: readonly {
    readonly result: boolean;
    readonly operator: 'AND' | 'OR';
    readonly conditions: readonly {
      readonly field: string;
      readonly result: boolean;
      readonly why: string;
    }[];
  }[];
}

/** Why a rule matches or does not: group by group, condition by condition. */
export function ExplanationView({ told }: { told: Told }) {
  return (
    <div className="flex flex-col gap-2" role="status" aria-label="Why">
      <p
        className={cx(
          'flex items-start gap-1.5 rounded-md border px-2 py-1.5',
          told.result ? 'border-ok/50' : 'border-line',
        )}
      >
        <Sign result={told.result} />
        <span>{told.why}</span>
      </p>
      {told.groups.map((group, index) => (
        <section key={index} aria-label={`Group ${index + 1}`} className="flex flex-col gap-1">
          <h3 className="flex items-center gap-1.5 text-sm font-medium">
            <Sign result={group.result} />
            Group {index + 1}
            {group.conditions.length > 1 && (
              <span className="font-normal text-muted">
                {group.operator === 'AND' ? 'needs all of these' : 'needs one of these'}
              </span>
            )}
          </h3>
          <ul className="flex flex-col gap-1 pl-5">
            {group.conditions.map((condition, place) => (
              <li key={place} className="flex min-w-0 items-start gap-1.5 text-sm">
                <Sign result={condition.result} />
                <span className="min-w-0 break-words">
                  <code className="font-mono">{condition.field}</code>:{' '}
                  <span className="text-muted">{condition.why}</span>
                </span>
              </li>
            ))}
          </ul>
        </section>
      ))}
    </div>
  );
}

function Sign({ result }: { result: boolean }) {
  return result ? (
    <Check size={14} className="mt-0.5 shrink-0 text-ok" aria-label="Holds" />
  ) : (
    <X size={14} className="mt-0.5 shrink-0 text-danger" aria-label="Does not hold" />
  );
}
