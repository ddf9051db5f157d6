import { callModel, withRetries } from '../calls.ts';
import { type ChatMessage, CONVENTIONS } from '../conventions/index.ts';
import { MODELS } from '../models.ts';
import { SERVICES } from '../services.ts';
import { SimulatedFailure } from '../telemetry.ts';
import { cloud } from '../texts/cloud.ts';
import { Story } from '../texts/index.ts';
import { planCall, runTool, TOOLS } from '../tools.ts';
import { type Scenario, userId } from './scenario.ts';

const { traceloop } = CONVENTIONS;

const TASKS = [
  'The pool hangs for ever when the database restarts. Add a timeout to take() and a test.',
  'retry.ts retries 400 answers. It must only retry 429, 502, 503 and 504.',
  'Orders are listed twice when two pages are fetched at once. Find out why.',
  'Make cache.ts forget the oldest entries above 10,000.',
] as const;

/** A coding assistant that reads, edits and tests a repository; older OpenLLMetry attributes. Some prompts overflow. */
export const codeHelper: Scenario = {
  id: 'code-helper',
  weight: 8,
  service: SERVICES.code,
  create() {
    return (rec) => {
      const { random } = rec;
      const story = new Story(random, cloud);
      const task = random.pick(TASKS);
      const who = {
        sessionId: `pr-${random.int(400, 2900)}`,
        userId: userId(random),
        agentName: 'code-helper',
      };
      // Now and then somebody pastes a whole log into an old model: more than it can take.
      const overflow = random.chance(0.04);
      const model = overflow ? MODELS.gpt4 : MODELS.sonnet;
      const run = { who, workflow: 'fix_issue', input: task, model };
      const tools = [TOOLS.readFile, TOOLS.editFile, TOOLS.runTests];
      try {
        rec.span(traceloop.agent(run), (span) => {
          const messages: ChatMessage[] = [
            { role: 'system', text: 'You change code in small steps. Run the tests after every edit.' },
            { role: 'user', text: task },
          ];
          if (overflow) messages.push({ role: 'user', text: logDump(random.int(290, 420)) });
          for (const used of [TOOLS.readFile, TOOLS.editFile, TOOLS.runTests]) {
            const call = planCall(used, story, random);
            const result = withRetries(rec, 2, () =>
              callModel(rec, {
                convention: traceloop,
                model,
                messages: [...messages],
                reply: { role: 'assistant', text: `I will use ${call.name}.`, toolCalls: [call] },
                tools: tools.map((tool) => tool.definition),
                who,
                functionName: 'fix_issue',
              }),
            );
            messages.push(result.message);
            messages.push({
              role: 'tool',
              text: runTool(rec, traceloop, { tool: used, call, story, who }),
              toolCallId: call.id,
              toolName: call.name,
            });
          }
          const done = withRetries(rec, 2, () =>
            callModel(rec, {
              convention: traceloop,
              model,
              messages: [...messages],
              reply: {
                role: 'assistant',
                text: `Done: ${task.split('.')[0]}. I changed src/pool.ts so that a waiter gives up after the timeout and is taken off the queue, and added a test that fails without the change.\n\n\`\`\`ts\nit('gives up waiting', async () => {\n  const pool = new Pool({ size: 0, timeoutMs: 20 });\n  await expect(pool.take()).rejects.toThrow('timed out');\n});\n\`\`\``,
              },
              stream: true,
              who,
              functionName: 'fix_issue',
            }),
          );
          span.set(traceloop.agent({ ...run, output: done.message.text }).attributes);
        });
      } catch (error) {
        if (!(error instanceof SimulatedFailure)) throw error;
        rec.logFailure(error, 'Run of code-helper ended early', { 'task.id': who.sessionId });
      }
    };
  },
};

function logDump(lines: number): string {
  return Array.from(
    { length: lines },
    (_, index) =>
      `2026-11-19T22:${String(index % 60).padStart(2, '0')}:14.${String(index % 1000).padStart(3, '0')}Z WARN pool waiting=${index % 97} free=0 caller=orders.list trace=${(index * 2_654_435_761).toString(16)} elapsed=${index % 4001}ms`,
  ).join('\n');
}
