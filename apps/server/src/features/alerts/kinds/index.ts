import type { AlertKind } from '@candela/contract';
import { anomaly } from './anomaly.ts';
import { budget } from './budget.ts';
import { burnRate } from './burn-rate.ts';
import { change } from './change.ts';
import { changed } from './changed.ts';
import { exception } from './exception.ts';
import { finding } from './finding.ts';
import type { AnyKind } from './kind.ts';
import { ingestStopped, noData } from './no-data.ts';
import { scoreBelow } from './score-below.ts';
import { threshold } from './threshold.ts';

/** Every kind of alert; the registry. */
const KINDS: { readonly [Kind in AlertKind]: AnyKind<Kind> } = {
  threshold,
  change,
  no_data: noData,
  anomaly,
  score_below: scoreBelow,
  burn_rate: burnRate,
  budget,
  ingest_stopped: ingestStopped,
  exception,
  finding,
  changed,
};

export const kindOf = <Kind extends AlertKind>(kind: Kind): AnyKind<Kind> => KINDS[kind] as AnyKind<Kind>;
