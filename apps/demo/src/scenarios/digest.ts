import { callModel, withRetries } from '../calls.ts';
import { CONVENTIONS } from '../conventions/index.ts';
import { MODELS } from '../models.ts';
import { SERVICES } from '../services.ts';
import { type LinkRecord, SimulatedFailure } from '../telemetry.ts';
import { DOMAINS, Story } from '../texts/index.ts';
import type { Scenario } from './scenario.ts';

const { langfuse } = CONVENTIONS;
const scope = { name: 'app.queue', version: '1.4.1' };

/** A worker that takes batches off a queue, embeds or summarises them, and links to the run before. Langfuse's way. */
export const digest: Scenario = {
  id: 'digest',
  weight: 7,
  service: SERVICES.digest,
  create() {
    let previous: LinkRecord | undefined;
    return (rec) => {
      const { random } = rec;
      const story = new Story(random, random.pick(DOMAINS));
      const size = random.int(4, 12);
      const embed = random.chance(0.5);
      const topic = embed ? 'documents.changed' : 'tickets.closed';
      try {
        rec.span(
          {
            name: `process ${topic}`,
            kind: 'consumer',
            scope,
            links: previous ? [previous] : [],
            attributes: {
              'messaging.system': 'kafka',
              'messaging.destination.name': topic,
              'messaging.operation.type': 'process',
              'messaging.batch.message_count': size,
              'messaging.consumer.group.name': 'digest',
            },
          },
          (span) => {
            previous = {
              traceId: rec.traceId,
              spanId: span.record.spanId,
              attributes: { 'link.reason': 'previous batch' },
            };
            const texts = Array.from({ length: size }, () => {
              const told = new Story(random, story.domain);
              return told.text(random.pick(story.domain.exchanges).ask);
            });
            const who = { sessionId: '', userId: '', agentName: '' };
            if (embed) {
              withRetries(rec, 4, () =>
                callModel(rec, {
                  convention: langfuse,
                  model: MODELS.embeddingSmall,
                  operation: 'embeddings',
                  messages: texts.map((text) => ({ role: 'user', text })),
                  reply: { role: 'assistant', text: '' },
                  who,
                  functionName: 'embed-documents',
                }),
              );
            } else {
              for (const text of texts.slice(0, 6)) {
                withRetries(rec, 4, () =>
                  callModel(rec, {
                    convention: langfuse,
                    model: MODELS.flash,
                    messages: [
                      {
                        role: 'system',
                        text: 'Summarise the ticket in one sentence. Name product and mood.',
                      },
                      { role: 'user', text },
                    ],
                    reply: {
                      role: 'assistant',
                      text: `Customer in ${story.slot('city')} asks: ${text.split(/[.?!]/)[0]?.toLowerCase()}. Mood: ${random.pick(['calm', 'annoyed', 'worried', 'friendly'])}.`,
                    },
                    who,
                    promptName: 'ticket-summary',
                    promptVersion: String(random.int(3, 4)),
                    functionName: 'summarise-ticket',
                  }),
                );
              }
            }
            rec.advance(random.latency(12));
            rec.log(
              'info',
              { msg: 'batch done', topic, size, offset: random.int(100_000, 9_000_000) },
              { 'messaging.destination.name': topic },
            );
          },
        );
      } catch (error) {
        if (!(error instanceof SimulatedFailure)) throw error;
        rec.log('fatal', `Batch of ${topic} given up after retries: ${error.message}`, {
          'error.type': error.type,
        });
      }
    };
  },
};
