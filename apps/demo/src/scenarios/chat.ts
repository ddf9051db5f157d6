import { callModel, sumUsage, withRetries } from '../calls.ts';
import { type ChatMessage, CONVENTIONS, type Who } from '../conventions/index.ts';
import { MODELS, type Model } from '../models.ts';
import type { Random } from '../random.ts';
import { SERVICES } from '../services.ts';
import { DOMAINS, Story } from '../texts/index.ts';
import { query, serve } from '../web.ts';
import { type Scenario, userId } from './scenario.ts';

interface Session {
  readonly who: Who;
  readonly story: Story;
  readonly model: Model;
  readonly history: ChatMessage[];
  turnsLeft: number;
}

const OPEN_SESSIONS = 14;

function open(random: Random): Session {
  const story = new Story(random, random.pick(DOMAINS));
  return {
    story,
    who: {
      sessionId: `sess-${random.hex(12)}`,
      userId: userId(random),
      agentName: `${story.domain.id}-assistant`,
    },
    model: random.weighted([
      [MODELS.gpt4oMini, 5],
      [MODELS.flash, 3],
      [MODELS.haiku, 2],
      [MODELS.llama, 1],
      [MODELS.ownLlama, 3],
    ]),
    history: [{ role: 'system', text: story.domain.system }],
    turnsLeft: random.int(1, 7),
  };
}

/** A chat widget: sessions of several turns, answers streamed; each turn is a trace. Speaks the AI SDK's convention. */
export const chat: Scenario = {
  id: 'chat',
  weight: 34,
  service: SERVICES.chat,
  create(seed) {
    const sessions: Session[] = [];
    let opened = 0;
    return (rec) => {
      const { random } = rec;
      if (sessions.length < OPEN_SESSIONS || random.chance(0.25)) sessions.push(open(seed.fork(opened++)));
      const session = random.pick(sessions);
      const { story, who, model, history } = session;
      const exchange = random.pick(history.length === 1 ? story.domain.exchanges : story.domain.followUps);
      const question = story.text(exchange.ask);
      serve(rec, { method: 'POST', route: '/api/chat', attributes: { 'session.id': who.sessionId } }, () => {
        query(
          rec,
          'SELECT role, content FROM messages WHERE session_id = $1 ORDER BY created_at',
          'messages',
        );
        history.push({ role: 'user', text: question });
        const run = { who, workflow: '', input: question, model };
        const answer = rec.span(CONVENTIONS.vercel.agent(run), (span) => {
          const result = withRetries(rec, 3, () =>
            callModel(rec, {
              convention: CONVENTIONS.vercel,
              model,
              messages: history,
              reply: { role: 'assistant', text: story.text(exchange.reply) },
              stream: true,
              who,
              functionName: who.agentName,
            }),
          );
          span.set(
            CONVENTIONS.vercel.agent({ ...run, output: result.message.text, total: sumUsage([result.usage]) })
              .attributes,
          );
          return result.message;
        });
        history.push(answer);
        query(rec, 'INSERT INTO messages (session_id, role, content) VALUES ($1, $2, $3)', 'messages');
        rec.log('info', `Answered turn ${Math.floor(history.length / 2)} of ${who.sessionId}`, {
          'session.id': who.sessionId,
          'user.id': who.userId,
        });
      });
      session.turnsLeft--;
      if (session.turnsLeft <= 0 || history.at(-1)?.role === 'user') {
        sessions.splice(sessions.indexOf(session), 1);
      }
    };
  },
};
