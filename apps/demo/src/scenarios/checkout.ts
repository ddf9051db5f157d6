import { callModel } from '../calls.ts';
import { CONVENTIONS } from '../conventions/index.ts';
import { MODELS } from '../models.ts';
import { SERVICES } from '../services.ts';
import { SimulatedFailure } from '../telemetry.ts';
import { shop } from '../texts/shop.ts';
import { Story } from '../texts/index.ts';
import { callService, query, serve } from '../web.ts';
import { type Scenario, userId } from './scenario.ts';

/** A purchase through four services; a small model writes the gift note, and the order survives when it fails. */
export const checkout: Scenario = {
  id: 'checkout',
  weight: 14,
  service: SERVICES.storefront,
  create() {
    return (rec) => {
      const { random } = rec;
      const story = new Story(random, shop);
      const buyer = userId(random);
      const amount = Number(story.slot('amount'));
      serve(rec, { method: 'POST', route: '/cart/checkout', attributes: { 'user.id': buyer } }, () => {
        callService(rec, SERVICES.checkout, { method: 'POST', route: '/orders' }, (span) => {
          span.set({
            'order.id': `FW-${story.slot('number')}`,
            'order.total': amount,
            'order.currency': 'EUR',
          });
          query(rec, 'SELECT id, price FROM cart_items WHERE cart_id = $1', 'cart_items');
          rec.parallel([
            () =>
              callService(rec, SERVICES.inventory, { method: 'POST', route: '/reservations' }, () => {
                query(
                  rec,
                  'UPDATE stock SET reserved = reserved + $1 WHERE sku = $2 AND free >= $1',
                  'stock',
                  7,
                );
              }),
            () =>
              callService(rec, SERVICES.payments, { method: 'POST', route: '/charges' }, () => {
                rec.advance(random.latency(210 * rec.conditions.slowdown));
                if (random.chance(rec.conditions.errorRate)) {
                  const reason = random.pick(['insufficient_funds', 'expired_card', 'do_not_honor']);
                  const message = `${reason}: charge ch_${random.hex(16)} over ${amount.toFixed(2)} EUR was declined`;
                  throw new SimulatedFailure('CardDeclined', message, {
                    trace: `CardDeclined: ${message}
    at Gateway.charge (/app/src/gateway.ts:77:11)
    at async retry (/app/node_modules/p-retry/index.js:81:13)
    at async payOrder (/app/src/orders/pay.ts:34:20)`,
                  });
                }
                query(rec, 'INSERT INTO charges (order_id, amount, state) VALUES ($1, $2, $3)', 'charges');
              }),
          ]);
          if (random.chance(0.45)) giftNote();
          query(rec, 'INSERT INTO orders (id, user_id, total) VALUES ($1, $2, $3)', 'orders', 6);
          rec.measure('shop.orders.placed', 1, {
            'payment.method': random.pick(['card', 'paypal', 'invoice']),
          });
          rec.log(
            'info',
            {
              msg: 'order placed',
              order: `FW-${story.slot('number')}`,
              total: amount,
              items: random.int(1, 6),
            },
            { 'user.id': buyer, 'order.id': `FW-${story.slot('number')}` },
          );
        });
      });

      function giftNote(): void {
        try {
          callModel(rec, {
            convention: CONVENTIONS.otel,
            model: MODELS.gpt4oMini,
            messages: [
              { role: 'system', text: 'Write a gift note of at most two sentences. No emojis.' },
              {
                role: 'user',
                text: story.text('For {person}, a {item} in {colour}. They just moved to {city}.'),
              },
            ],
            reply: {
              role: 'assistant',
              text: story.text(
                'Dear {person}, may the {item} carry you further than {city} has streets. Come and show us the view soon!',
              ),
            },
            who: { sessionId: '', userId: buyer, agentName: '' },
            functionName: 'gift-note',
            http: true,
            eventLog: true,
          });
        } catch (error) {
          if (!(error instanceof SimulatedFailure)) throw error;
          rec.log('warn', 'Gift note left empty, the model did not answer', { 'error.type': error.type });
        }
      }
    };
  },
};
