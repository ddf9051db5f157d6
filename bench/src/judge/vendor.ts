import { type FakeAi, startFakeAi } from '@candela/testkit';

/** What every subject of this bench says of itself, so that a judge's call tells whom it is about. */
const MARK = /subject-(\d+)\./;

interface JudgeVendor {
  readonly vendor: FakeAi;
  /** Calls that were answered with a judgement, by subject. */
  readonly judged: ReadonlyMap<string, number>;
  /** Calls that were refused. */
  readonly refused: () => number;
}

/** A vendor that judges what it is shown, answers everything else, and refuses every n-th call; 0: none. */
export async function startJudge(everyNth: number): Promise<JudgeVendor> {
  const judged = new Map<string, number>();
  let [calls, refused] = [0, 0];
  const vendor = await startFakeAi({
    chunkDelayMs: 0,
    respond: (body) => {
      calls += 1;
      if (everyNth > 0 && calls % everyNth === 0) {
        refused += 1;
        return { status: 500 };
      }
      const text = JSON.stringify(body['messages']);
      if (!text.includes('You judge an answer'))
        return { text: `An answer to ${MARK.exec(text)?.[0] ?? 'it'}` };
      const subject = MARK.exec(text)?.[1] ?? '';
      judged.set(subject, (judged.get(subject) ?? 0) + 1);
      return { text: JSON.stringify({ reason: 'It says so.', level: 1, classification: 'none' }) };
    },
  });
  return { vendor, judged, refused: () => refused };
}
