import type { Domain } from './domain.ts';

export const travel: Domain = {
  id: 'travel',
  company: 'Meridian Trips',
  system:
    'You plan trips for Meridian Trips. Prefer trains where they take less than six hours. Always state whether a fare can be refunded. When a date is missing, ask for it before you search.',
  exchanges: [
    {
      ask: 'I need to be in {city} on {weekday} before noon, coming from {origin}. Train if possible, budget about {amount} euros.',
      reply:
        'There is a direct train from {origin} at 06:12 that reaches {city} at 11:04 on {weekday}, {amount} € in second class, refundable until the day before. The next one arrives at 12:40 and would be too late. Shall I hold a seat for {minutes} minutes?',
    },
    {
      ask: 'Our flight {flight} got cancelled and we are {small} people stuck in {city}. What are we entitled to?',
      reply:
        'For {flight} you may choose between a full refund and re-routing at the earliest opportunity, and the airline owes all {small} of you meals and a hotel while you wait. If the cancellation was announced less than 14 days before and no extraordinary circumstance applies, there is also compensation of 250 to 600 € each, depending on the distance. Keep every receipt.',
    },
    {
      ask: 'Plan a long weekend in {city} for two, we like {interest} and do not want to rent a car.',
      reply:
        'Day one: arrive by noon, drop the bags near the main station and spend the afternoon in the old town; {interest} is best in the evening there. Day two: regional train to the coast, 40 minutes, back for dinner. Day three: a market in the morning and the museum quarter until your train at 17:20. Everything is reachable with one 72-hour transit pass for about {amount} €.',
    },
    {
      ask: 'Do I need a visa for {city} with a passport that expires in {month}?',
      reply:
        'For a stay under 90 days you do not need a visa there, but the passport must be valid for three months beyond the day you leave. One that expires in {month} may be too short, so renew it first or travel earlier. Rules change; please check with the consulate before you book anything that cannot be refunded.',
    },
    {
      ask: '{city}で{interest}を楽しめる静かなホテルはありますか。予算は一泊{amount}ユーロくらいです。',
      reply:
        'はい、駅から徒歩{minutes}分の小さなホテルが条件に合います。朝食付きで一泊{amount}ユーロ前後、前日までキャンセル無料です。ご希望の日程を教えていただければ空室を確認します。',
    },
  ],
  followUps: [
    {
      ask: 'What if we leave one day later?',
      reply:
        'Then the fare drops by about {percent} percent and the morning train has seats at a table. The hotel keeps its price. I would take it.',
    },
    {
      ask: 'Is breakfast included, and can we bring a dog?',
      reply:
        'Breakfast is included until 10:30. Dogs are welcome for 15 € a night, but not in the dining room.',
    },
    {
      ask: 'Great, book it under {person} please.',
      reply:
        'Done. The booking MT-{number} is under {person}; tickets were sent by e-mail. You can cancel without cost until the evening before departure.',
    },
  ],
  documents: [
    {
      title: 'Passenger rights in the air',
      text: 'When a flight is cancelled the carrier offers reimbursement within seven days or re-routing under comparable conditions. Compensation depends on the distance: up to 1,500 km, up to 3,500 km, and beyond. Strikes of the own crew do not count as extraordinary.',
    },
    {
      title: 'Fare classes and refunds',
      text: 'Saver fares can be exchanged against a voucher minus 10 €. Flex fares are refunded in full until the day before travel. Group fares of six and more people need one payment and lose the right to single cancellations.',
    },
    {
      title: 'Luggage on night trains',
      text: 'Two pieces of hand luggage per person travel free of charge. Bicycles need a reservation and a slot in the bicycle car; folded ones in a cover count as luggage.',
    },
    {
      title: 'City passes',
      text: 'The 72-hour pass starts with the first validation, covers airport lines, and gives a quarter off in municipal museums. Children under six travel free.',
    },
  ],
  slots: {
    origin: ['Vienna', 'Brussels', 'Milan', 'Zurich', 'Cologne', 'Turin', 'Antwerp'],
    flight: ['MR 482', 'XQ 1187', 'LO 334', 'TP 559', 'KL 1823'],
    interest: [
      'jazz',
      'street food',
      'modern architecture',
      'hot springs',
      'second-hand bookshops',
      'bouldering',
    ],
  },
};
