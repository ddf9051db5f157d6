import { parseArgs } from 'node:util';
import { startPlatform } from '@candela/testkit';
import type { Bench } from '../lib/bench.ts';
import { besideBare, steadyFigures } from '../lib/beside-bare.ts';
import { BenchRandom } from '../lib/random.ts';
import { type Findings, thousands } from '../lib/table.ts';
import { withTempDir } from '../lib/temp.ts';
import { CONDITIONS, FIELDS, fieldName, fieldsOf, RULES, rulesOf } from './made.ts';

const KEY = `pk_benchmar_${'A'.repeat(43)}`;
const REQUESTS = 50;
const LINK = { entityType: 'evaluation', entityId: 'hallucination' };

/** Asking all active rules at a steady rate, on one core: credential, body, rules and answer. */
export const evaluate: Bench = {
  async run(args): Promise<Findings> {
    const { values } = parseArgs({
      args: [...args],
      options: {
        rate: { type: 'string', default: '500' },
        seconds: { type: 'string', default: '20' },
        rounds: { type: 'string', default: '3' },
      },
    });
    const [rate, seconds, rounds] = [Number(values.rate), Number(values.seconds), Number(values.rounds)];
    return withTempDir(async (dataDir) => {
      const env = { PLATFORM_BOOTSTRAP_API_KEY: KEY, PLATFORM_RATE_LIMIT: '1000000' };
      const platform = await startPlatform({ dataDir, env });
      const random = new BenchRandom(5);
      const call = async (path: string, body: object): Promise<string> => {
        const response = await fetch(platform.http + path, {
          method: 'POST',
          headers: { authorization: `Bearer ${KEY}` },
          body: JSON.stringify(body),
        });
        const text = await response.text();
        if (!response.ok) throw new Error(text);
        return text;
      };
      for (const [n, rule] of rulesOf(random, 'AND').entries()) {
        await call('/api/rule-engine/rules', { name: `bench ${n}`, ...rule, links: [LINK] });
      }
      const names = Array.from({ length: FIELDS }, (_, n) => fieldName(n));
      const bodies = Array.from({ length: REQUESTS }, () => ({
        entity_type: 'evaluation',
        fields: Object.fromEntries(fieldsOf(random, names, 0)),
        source: 'bench',
      }));
      const answer = await call('/api/rule-engine/evaluate', bodies[0] ?? {});
      const measured = await besideBare({
        server: platform,
        rate,
        seconds,
        rounds,
        answer,
        expect: '{"matchingRuleIds":[',
        requests: bodies.map((body) => ({
          method: 'POST',
          path: '/api/rule-engine/evaluate',
          headers: { authorization: `Bearer ${KEY}`, 'content-type': 'application/json' },
          body: JSON.stringify(body),
        })),
      });
      await platform.stop();
      const { matchingRuleIds } = JSON.parse(answer) as { matchingRuleIds: string[] };
      return {
        bench: 'evaluate',
        command: 'npm run bench -- evaluate',
        figures: steadyFigures('POST /api/rule-engine/evaluate', rate, measured),
        notes: [
          `${thousands(RULES)} active rules of ${CONDITIONS} conditions joined by AND, ${FIELDS} fields a request, ${REQUESTS} requests in turns; the first one matches ${matchingRuleIds.length} rules and its answer has ${thousands(answer.length)} bytes.`,
          ...measured.notes,
        ],
      };
    });
  },
};
