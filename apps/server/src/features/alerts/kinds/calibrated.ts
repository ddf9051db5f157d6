import type { AlertQuery } from '@candela/contract';
import { fail } from '@candela/kernel';
import type { AlertSources, Asked } from './kind.ts';

type Selection = Pick<
  Extract<AlertQuery, { kind: 'scores' }>['body'],
  'name' | 'evaluator' | 'source' | 'verdict' | 'of'
>;

/** Agreement with people is looked for over so long, and is known for a while. */
const LOOK_BACK = '-90d';
const KNOWN_MS = 600_000;
const MOST_KNOWN = 1_000;
/** Judges that one alert may be about. */
const MOST_JUDGES = 20;

interface Agreement {
  readonly at: number;
  readonly calibrated: boolean;
  readonly said: string;
}
const KNOWN = new WeakMap<AlertSources, Map<string, Agreement>>();

async function agreementOf(
  sources: AlertSources,
  name: string,
  { context, signal }: Pick<Asked, 'context' | 'signal'>,
): Promise<Agreement> {
  const known = KNOWN.get(sources) ?? new Map<string, Agreement>();
  KNOWN.set(sources, known);
  const key = JSON.stringify([context.organisationId, context.projectId, context.environment, name]);
  const before = known.get(key);
  const at = performance.now();
  if (before !== undefined && at - before.at < KNOWN_MS) return before;
  const { data } = await sources.scoreAgreement(context, { name, from: LOOK_BACK, to: 'now' }, signal);
  const kappa = data.kappa === null ? 'undefined' : data.kappa.toFixed(2);
  const said = `"${name.slice(0, 100)}" (${data.pairs} of 50 labelled spans, kappa ${kappa} of 0.6)`;
  const agreement = { at, calibrated: data.calibrated, said };
  if (known.size >= MOST_KNOWN) known.clear();
  // One that is not calibrated may be so a minute later: people are at work on it.
  if (data.calibrated) known.set(key, agreement);
  return agreement;
}

/**
 * Sees to it that the judges behind the scores of a window agree with people. Scores of people, of users, of code and of
 * senders need no calibration. Returns what a reader should know where the alert allows judges that do not.
 * @throws refused
 */
export async function calibrated(
  sources: AlertSources,
  selection: Selection,
  asked: Pick<Asked, 'context' | 'signal' | 'allowUncalibrated'> & {
    readonly from: number;
    readonly to: number;
  },
): Promise<string | undefined> {
  const { context, signal, from, to } = asked;
  if (selection.source !== undefined && selection.source !== 'judge') return undefined;
  const judged = { ...selection, source: 'judge' as const, from, to, by: 'name' as const };
  const { data } = await sources.scoreAnalytics(context, judged, signal);
  const names = data.groups.map(({ key }) => key);
  const found = await Promise.all(
    names.slice(0, MOST_JUDGES).map((name) => agreementOf(sources, name, asked)),
  );
  const missing = found.filter((one) => !one.calibrated).map(({ said }) => said);
  if (names.length > MOST_JUDGES) missing.push(`${names.length - MOST_JUDGES} more judges`);
  if (missing.length === 0) return undefined;
  const who = `Not calibrated: ${missing.join(', ')}.`;
  if (asked.allowUncalibrated) return `${who} The alert allows that.`;
  throw fail('refused', {
    detail: `${who} Label spans in an annotation queue, name one evaluator, or set allowUncalibrated.`,
  });
}
