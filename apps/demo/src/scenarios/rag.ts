import { callModel, withRetries } from '../calls.ts';
import { CONVENTIONS } from '../conventions/index.ts';
import { MODELS } from '../models.ts';
import { SERVICES } from '../services.ts';
import { DOMAINS, Story } from '../texts/index.ts';
import { serve } from '../web.ts';
import { type Scenario, userId } from './scenario.ts';

const { openinference } = CONVENTIONS;

/** Questions answered from documents: embed, search the vector database, rerank, ask. Speaks OpenInference. */
export const rag: Scenario = {
  id: 'rag',
  weight: 18,
  service: SERVICES.knowledge,
  create() {
    return (rec) => {
      const { random } = rec;
      const story = new Story(random, random.pick(DOMAINS));
      const exchange = random.pick(story.domain.exchanges);
      const question = story.text(exchange.ask);
      const who = { sessionId: `kb-${random.hex(10)}`, userId: userId(random), agentName: '' };
      const collection = `${story.domain.id}_handbook`;
      serve(rec, { method: 'POST', route: '/v1/answers' }, () => {
        const run = { who, workflow: 'answer-from-documents', input: question, model: MODELS.gpt4o };
        rec.span(openinference.agent(run), (chain) => {
          callModel(rec, {
            convention: openinference,
            model: MODELS.embeddingSmall,
            operation: 'embeddings',
            messages: [{ role: 'user', text: question }],
            reply: { role: 'assistant', text: '' },
            who,
            functionName: 'embed-question',
          });
          const found = story.domain.documents.map((document, index) => ({
            id: `${story.domain.id}-${index + 1}`,
            text: `${document.title}\n${document.text}`,
            score: Math.round((0.92 - index * random.between(0.03, 0.12)) * 1000) / 1000,
          }));
          const search = {
            step: 'retrieve' as const,
            query: question,
            collection,
            model: MODELS.embeddingSmall,
          };
          rec.span(openinference.retrieval({ ...search, documents: found }), () => {
            rec.span(
              {
                name: `query ${collection}`,
                kind: 'client',
                scope: { name: 'opentelemetry.instrumentation.qdrant', version: '0.47.3' },
                attributes: {
                  'db.system.name': 'qdrant',
                  'db.operation.name': 'query',
                  'db.collection.name': collection,
                  'db.vector.query.top_k': found.length,
                  'db.vector.count': random.int(18_000, 420_000),
                },
              },
              () => rec.advance(random.latency(14 * rec.conditions.slowdown, 0.5)),
            );
          });
          const best = [...found].sort((a, b) => b.score - a.score).slice(0, 3);
          rec.span(
            openinference.retrieval({ ...search, step: 'rerank', model: MODELS.rerank, documents: best }),
            () => rec.advance(random.latency(MODELS.rerank.firstTokenMs * rec.conditions.slowdown)),
          );
          if (random.chance(0.06)) {
            rec.log('warn', 'Low retrieval confidence, answering anyway', {
              'retrieval.best_score': best[0]?.score,
              'db.collection.name': collection,
            });
          }
          const context = best.map((document) => `[${document.id}] ${document.text}`).join('\n\n');
          const result = withRetries(rec, 2, () =>
            callModel(rec, {
              convention: openinference,
              model: random.weighted([
                [MODELS.gpt4o, 3],
                [MODELS.mistral, 2],
                [MODELS.flash, 2],
                [MODELS.ownQwen, 3],
              ]),
              messages: [
                { role: 'system', text: `${story.domain.system}\nUse only these passages:\n\n${context}` },
                { role: 'user', text: question },
              ],
              reply: { role: 'assistant', text: `${story.text(exchange.reply)} [${best[0]?.id}]` },
              who,
              promptName: 'grounded-answer',
              promptVersion: random.pick(['2.3.0', '2.3.0', '2.4.0']),
              functionName: 'answer',
            }),
          );
          chain.set(openinference.agent({ ...run, output: result.message.text }).attributes);
          chain.ok();
        });
      });
    };
  },
};
