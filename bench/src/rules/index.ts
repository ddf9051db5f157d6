import { type FieldValue, prepare, type Rule, ruleSet } from '@candela/rules';
import type { Bench } from '../lib/bench.ts';
import { Latencies } from '../lib/latency.ts';
import { BenchRandom } from '../lib/random.ts';
import { type Figure, type Findings, thousands } from '../lib/table.ts';
import { CONDITIONS, FIELDS, fieldName, fieldsOf, RULES, rulesOf, WORDS } from './made.ts';

const REQUESTS = 3_000;
const ROUNDS = 5;
/** The longest value that a request may send. */
const LONG_VALUE = 1_000;
const GOAL = 'goal: p99 under 5 ms';

interface Scene {
  readonly what: string;
  readonly rules: readonly Rule[];
  readonly requests: readonly ReadonlyMap<string, FieldValue>[];
  readonly against: string;
}

function scenes(random: BenchRandom): Scene[] {
  const names = Array.from({ length: FIELDS }, (_, n) => fieldName(n));
  const some = (length: number) => Array.from({ length: 50 }, () => fieldsOf(random, names, length));
  const strangers = Array.from({ length: FIELDS }, (_, n) => `other.${n}`);
  const mixed = rulesOf(random, 'AND');
  return [
    { what: 'mixed operators, joined by AND', rules: mixed, requests: some(0), against: GOAL },
    { what: 'mixed operators, joined by OR', rules: rulesOf(random, 'OR'), requests: some(0), against: GOAL },
    {
      what: 'the same AND rules, values of 1,000 characters',
      rules: mixed,
      requests: some(LONG_VALUE - 20),
      against: GOAL,
    },
    {
      what: 'nothing but expressions that do not match, by OR',
      rules: rulesOf(random, 'OR', (field) => ({
        field,
        operator: 'regex',
        value: `(?i)no${random.below(500)}.*such`,
        dataType: 'string',
      })),
      requests: some(0),
      against: GOAL,
    },
    {
      what: 'fields that no rule asks for',
      rules: mixed,
      requests: [fieldsOf(random, strangers, 0)],
      against: 'costs next to nothing',
    },
  ];
}

/** What one evaluation of a thousand rules costs in one thread, beside as many comparisons written by hand. */
export const rules: Bench = {
  async run(): Promise<Findings> {
    const random = new BenchRandom(5);
    const figures: Figure[] = scenes(random).map(({ what, rules: made, requests, against }) => {
      const set = ruleSet(made.map((rule, id) => ({ id: String(id), rule: prepare(rule) })));
      const latencies = measure((n) => {
        set.matching(requests[n % requests.length] ?? new Map());
      });
      const matched = requests.reduce((sum, fields) => sum + set.matching(fields).length, 0);
      return {
        what,
        value: `${row(latencies)}, ${thousands(matched / requests.length, 0)} match`,
        against,
      };
    });
    figures.push({
      what: 'the ceiling: as many comparisons of texts',
      value: row(byHand(random)),
      against: '',
    });
    return {
      bench: 'rules',
      command: 'npm run bench -- rules',
      figures,
      notes: [
        `One evaluation of ${thousands(RULES)} active rules of ${CONDITIONS} conditions on ${FIELDS} fields, one thread: p50 / p99 of ${thousands(REQUESTS)}, the quietest of ${ROUNDS} rounds.`,
        'By OR a rule asks all of its conditions unless one holds; by AND it stops at the first that does not.',
      ],
    };
  },
};

/** The quietest of some rounds: what else runs on the machine is not the rules' doing. */
function measure(work: (n: number) => void): Latencies {
  for (let n = 0; n < REQUESTS; n += 1) work(n);
  const rounds = Array.from({ length: ROUNDS }, () => {
    const latencies = new Latencies();
    for (let n = 0; n < REQUESTS; n += 1) {
      const startedAt = performance.now();
      work(n);
      latencies.add(performance.now() - startedAt);
    }
    return latencies;
  });
  const [quietest = new Latencies()] = rounds.toSorted((a, b) => a.quantile(0.99) - b.quantile(0.99));
  return quietest;
}

const row = (latencies: Latencies): string =>
  `${thousands(latencies.quantile(0.5), 3)} / ${thousands(latencies.quantile(0.99), 3)} ms`;

/** Five thousand look-ups and comparisons without anything around them. */
function byHand(random: BenchRandom): Latencies {
  const names = Array.from({ length: FIELDS }, (_, n) => fieldName(n));
  const fields = fieldsOf(random, names, 0);
  const wanted = Array.from({ length: RULES * CONDITIONS }, () => ({
    field: fieldName(random.below(FIELDS)),
    value: random.pick(WORDS),
  }));
  let equal = 0;
  return measure(() => {
    for (const { field, value } of wanted) if (fields.get(field) === value) equal += 1;
    if (equal < 0) throw new RangeError('never');
  });
}
