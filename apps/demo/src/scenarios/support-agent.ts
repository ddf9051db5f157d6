import { callModel, sumUsage, withRetries } from '../calls.ts';
import { type ChatMessage, CONVENTIONS, type Usage } from '../conventions/index.ts';
import { MODELS } from '../models.ts';
import { SERVICES } from '../services.ts';
import { shop } from '../texts/shop.ts';
import { Story } from '../texts/index.ts';
import { planCall, runTool, TOOLS, type Tool } from '../tools.ts';
import { serve } from '../web.ts';
import { type Scenario, userId } from './scenario.ts';

const { otel } = CONVENTIONS;
/** What the team shipped: prompt, tools and settings change together, and each release is a version of the agent. */
interface Release {
  readonly version: string;
  readonly system: string;
  readonly tools: readonly Tool[];
  readonly temperature: number;
}

const RELEASES: readonly [Release, ...Release[]] = [
  {
    version: '1.6.0',
    system: shop.system,
    tools: [TOOLS.lookupOrder, TOOLS.trackParcel, TOOLS.searchPolicy],
    temperature: 0.7,
  },
  {
    version: '1.7.2',
    system: `${shop.system}\nRead the policy before you offer a refund. Never promise a date.`,
    tools: [TOOLS.lookupOrder, TOOLS.trackParcel, TOOLS.issueRefund, TOOLS.searchPolicy],
    temperature: 0.7,
  },
  {
    version: '1.8.0',
    system: `${shop.system}\nRead the policy before you offer a refund. Never promise a date.\nAnswer in at most five sentences and end with the next step.`,
    tools: [TOOLS.lookupOrder, TOOLS.trackParcel, TOOLS.issueRefund, TOOLS.searchPolicy],
    temperature: 0.2,
  },
];
/** A release every few hours, so that a day of the demo shows several. */
const RELEASE_MS = 7 * 3_600_000;
const releaseAt = (atMs: number): Release =>
  RELEASES[Math.floor(atMs / RELEASE_MS) % RELEASES.length] ?? RELEASES[0];

/** A support agent with tools, in the current GenAI conventions: model, tools, model again until it can answer. */
export const supportAgent: Scenario = {
  id: 'support-agent',
  weight: 16,
  service: SERVICES.agent,
  create() {
    return (rec) => {
      const { random } = rec;
      const story = new Story(random, shop);
      const exchange = random.pick(shop.exchanges);
      const question = story.text(exchange.ask);
      const who = {
        sessionId: `ticket-${random.int(100_000, 999_999)}`,
        userId: userId(random),
        agentName: 'order-support',
      };
      const release = releaseAt(rec.now);
      const model = random.weighted([
        [MODELS.gpt5, 3],
        [MODELS.sonnet, 3],
        [MODELS.gpt4oMini, 2],
      ]);
      serve(
        rec,
        {
          method: 'POST',
          route: '/tickets/{id}/reply',
          attributes: { 'ticket.priority': random.pick(['low', 'normal', 'high']) },
        },
        () => {
          const run = { who, workflow: 'ticket-reply', input: question, model };
          rec.span(otel.agent(run), (agent) => {
            const messages: ChatMessage[] = [
              { role: 'system', text: release.system },
              { role: 'user', text: question },
            ];
            const usages: Usage[] = [];
            const ask = (reply: ChatMessage) => {
              const result = withRetries(rec, 3, () =>
                callModel(rec, {
                  convention: otel,
                  model,
                  messages: [...messages],
                  reply,
                  tools: release.tools.map((tool) => tool.definition),
                  who,
                  promptName: 'order-support',
                  promptVersion: release.version,
                  temperature: release.temperature,
                  functionName: 'order-support',
                  http: true,
                }),
              );
              usages.push(result.usage);
              messages.push(result.message);
            };
            const rounds = random.weighted([
              [1, 4],
              [2, 3],
              [3, 1],
            ]);
            for (const used of random.sample(release.tools, rounds)) {
              const call = planCall(used, story, random);
              ask({
                role: 'assistant',
                text: random.chance(0.3) ? 'Let me look that up.' : '',
                toolCalls: [call],
                ...(model.reasoning
                  ? {
                      reasoning: `The customer asks about an order. I need ${call.name} before I can answer.`,
                    }
                  : {}),
              });
              const result = runTool(rec, otel, { tool: used, call, story, who });
              messages.push({ role: 'tool', text: result, toolCallId: call.id, toolName: call.name });
            }
            ask({ role: 'assistant', text: story.text(exchange.reply) });
            agent.set(
              otel.agent({ ...run, output: messages.at(-1)?.text ?? '', total: sumUsage(usages) }).attributes,
            );
            if (random.chance(0.15)) score(rec, question);
          });
        },
      );
    };
  },
};

/** A quality score as an event on the agent's span, as evaluators attach it. */
function score(rec: Parameters<ReturnType<Scenario['create']>>[0], question: string): void {
  const value = Math.round(rec.random.between(0.35, 1) * 100) / 100;
  rec.current?.event('gen_ai.evaluation.result', {
    'gen_ai.evaluation.name': 'helpfulness',
    'gen_ai.evaluation.score.value': value,
    'gen_ai.evaluation.score.label': value > 0.7 ? 'good' : 'poor',
    'gen_ai.evaluation.explanation':
      value > 0.7
        ? 'Answers the question and names the next step.'
        : `Does not address all of: "${question.slice(0, 60)}"`,
  });
}
