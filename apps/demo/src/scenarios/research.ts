import { callModel, sumUsage, withRetries } from '../calls.ts';
import { type ChatMessage, CONVENTIONS, type Usage, type Who } from '../conventions/index.ts';
import { MODELS, type Model } from '../models.ts';
import { SERVICES } from '../services.ts';
import { type Recorder, SimulatedFailure } from '../telemetry.ts';
import { DOMAINS, Story } from '../texts/index.ts';
import { planCall, runTool, TOOLS, type Tool } from '../tools.ts';
import { type Scenario, userId } from './scenario.ts';

const { otel } = CONVENTIONS;

interface Task {
  readonly name: string;
  readonly model: Model;
  readonly tools: readonly Tool[];
  readonly rounds: number;
  readonly brief: string;
  readonly finding: string;
}

/** An agent's loop: think, use a tool, think again; its span carries the sum of its calls. Returns its findings. */
function work(rec: Recorder, task: Task, story: Story, who: Who): { text: string; usage: Usage } {
  const self = { ...who, agentName: task.name };
  const run = { who: self, workflow: 'deep-research', input: task.brief, model: task.model };
  return rec.span(otel.agent(run), (span) => {
    const messages: ChatMessage[] = [
      {
        role: 'system',
        text: `You are the ${task.name} of a research team. Work on your part only and cite what you use.`,
      },
      { role: 'user', text: task.brief },
    ];
    const usages: Usage[] = [];
    const ask = (reply: ChatMessage) => {
      const result = withRetries(rec, 3, () =>
        callModel(rec, {
          convention: otel,
          model: task.model,
          messages: [...messages],
          reply,
          tools: task.tools.map((tool) => tool.definition),
          who: self,
          functionName: task.name,
        }),
      );
      usages.push(result.usage);
      messages.push(result.message);
    };
    for (let round = 0; round < task.rounds; round++) {
      const used = rec.random.sample(task.tools, rec.random.int(1, 2));
      const calls = used.map((tool) => ({ tool, call: planCall(tool, story, rec.random) }));
      ask({ role: 'assistant', text: '', toolCalls: calls.map(({ call }) => call) });
      rec.parallel(
        calls.map(({ tool, call }) => () => {
          const result = runTool(rec, otel, { tool, call, story, who: self });
          messages.push({ role: 'tool', text: result, toolCallId: call.id, toolName: call.name });
        }),
      );
    }
    ask({ role: 'assistant', text: task.finding });
    const usage = sumUsage(usages);
    span.set(otel.agent({ ...run, output: task.finding, total: usage }).attributes);
    return { text: task.finding, usage };
  });
}

/** A research crew: a lead plans, sub-agents work side by side, a writer sums up. Deep trees with repeated sums. */
export const research: Scenario = {
  id: 'research',
  weight: 5,
  service: SERVICES.research,
  create() {
    return (rec) => {
      const { random } = rec;
      const story = new Story(random, random.pick(DOMAINS));
      const topic = random.pick(story.domain.documents);
      const brief = `Write a one-page brief about "${topic.title}" for new colleagues of ${story.domain.company}. What is the rule, where do people go wrong, what changed lately?`;
      const who = { sessionId: `research-${random.hex(8)}`, userId: userId(random), agentName: 'lead' };
      const run = { who, workflow: 'deep-research', input: brief, model: MODELS.sonnet };
      rec.log('info', { event: 'run.started', workflow: 'deep-research', topic: topic.title });
      try {
        rec.span(otel.agent(run), (lead) => {
          const plan = withRetries(rec, 3, () =>
            callModel(rec, {
              convention: otel,
              model: MODELS.sonnet,
              messages: [
                { role: 'system', text: 'Split the task into independent parts and name an agent for each.' },
                { role: 'user', text: brief },
              ],
              reply: {
                role: 'assistant',
                text: '1. source-finder: collect primary sources\n2. fact-checker: verify numbers and dates\n3. counter-view: find what contradicts the rule\n4. writer: one page, plain words',
              },
              who,
              functionName: 'lead',
            }),
          );
          const usages = [plan.usage];
          const findings: string[] = [];
          const parts = random.sample(
            ['source-finder', 'fact-checker', 'counter-view', 'practitioner'],
            random.int(2, 4),
          );
          rec.parallel(
            parts.map((name) => () => {
              const document = random.pick(story.domain.documents);
              try {
                const done = work(
                  rec,
                  {
                    name,
                    model: random.pick([MODELS.haiku, MODELS.gpt4oMini, MODELS.flash]),
                    tools: [TOOLS.webSearch, TOOLS.fetchPage, TOOLS.calculate],
                    rounds: random.int(1, 3),
                    brief: `As ${name}: ${brief}`,
                    finding: `${document.title}: ${document.text} Confidence ${random.pick(['high', 'medium'])}; ${random.int(2, 5)} sources agree.`,
                  },
                  story,
                  who,
                );
                findings.push(`${name}: ${done.text}`);
                usages.push(done.usage);
              } catch (error) {
                if (!(error instanceof SimulatedFailure)) throw error;
                rec.logFailure(error, `Sub-agent ${name} gave up, going on without it`, {
                  'gen_ai.agent.name': name,
                });
              }
            }),
          );
          const page = work(
            rec,
            {
              name: 'writer',
              model: MODELS.sonnet,
              tools: [TOOLS.calculate],
              rounds: 0,
              brief: `Write the page from these findings:\n\n${findings.join('\n\n')}`,
              finding: `# ${topic.title}\n\n${topic.text}\n\n**Where people go wrong.** ${story.text(random.pick(story.domain.followUps).reply)}\n\n**What changed.** The rule was reworded in ${story.slot('month')}; the substance is the same.`,
            },
            story,
            who,
          );
          usages.push(page.usage);
          lead.set(otel.agent({ ...run, output: page.text, total: sumUsage(usages) }).attributes);
        });
      } catch (error) {
        if (!(error instanceof SimulatedFailure)) throw error;
        rec.logFailure(error, 'Research run failed', { 'session.id': who.sessionId });
      }
    };
  },
};
