import type { Domain } from './domain.ts';

export const finance: Domain = {
  id: 'finance',
  company: 'Brightwater Bank',
  system:
    'You help customers of Brightwater Bank with cards, transfers and statements. You give no investment advice. Mask all but the last four digits of any number. Escalate suspected fraud to a person.',
  exchanges: [
    {
      ask: 'There is a charge of {amount} from "{merchant}" on my card that I do not recognise, dated {month} {day}.',
      reply:
        'I see the charge of {amount} from {merchant} on {month} {day}, paid with the card ending in 4417. It was approved by contactless payment in {city}. If that was not you, I can block the card now and open a dispute; you would have the money back provisionally within {small} working days. Do you want me to do both?',
    },
    {
      ask: 'Why was my transfer of {amount} to {person} held back?',
      reply:
        'Transfers to a new payee above your daily limit wait for a second confirmation. Yours to {person} is waiting in the app under Approvals and is sent as soon as you confirm it; otherwise it expires after 24 hours and nothing is taken.',
    },
    {
      ask: 'What does "{term}" on my mortgage statement mean and how is it worked out?',
      reply:
        '{term} on your statement is calculated for each day on the balance of that day and booked at the end of the month. With a balance that falls, the share in every instalment falls as well, while the repayment share grows by the same amount. I can send the full schedule as a table.',
    },
    {
      ask: 'Compare the two savings accounts you have for someone who may need the money in {small} months.',
      reply:
        'The instant account pays less but the money is there the same day. The notice account pays about {percent} basis points more and needs 90 days of notice. If you may need the money in {small} months, you could give notice in time and still keep the higher rate. This is a comparison of conditions, not advice.',
    },
  ],
  followUps: [
    {
      ask: 'Yes, block it. I still need to pay for groceries today though.',
      reply:
        'The card ending in 4417 is blocked. A virtual card is ready in the app and works with your phone at once; the plastic one arrives within {small} working days.',
    },
    {
      ask: 'Could you send that as a PDF for my tax adviser?',
      reply:
        'The statement was placed in your document box as a PDF. It covers the year until the end of {month}.',
    },
    {
      ask: 'that makes sense, what is the fee?',
      reply:
        'There is no fee for it. Express transfers outside the euro area cost {amount} and are shown before you confirm.',
    },
  ],
  documents: [
    {
      title: 'Disputing a card payment',
      text: 'A dispute can be opened within 120 days of the booking. Contactless payments below the limit need no PIN and are refunded provisionally while the merchant is asked. Keep the receipt of any contact with the merchant.',
    },
    {
      title: 'Transfer limits',
      text: 'The daily limit for new payees is 2,000 € until the first transfer was confirmed with a second factor. Limits can be raised for one day in the app.',
    },
    {
      title: 'Savings conditions',
      text: 'Instant access pays the base rate minus a quarter. The notice account needs ninety days of notice; earlier withdrawals cost the interest of that period.',
    },
  ],
  slots: {
    merchant: ['NORDIC PARKING AB', 'STREAMLY', 'KIOSK 24 HBF', 'PETALWORKS GMBH', 'AIRPAY*HOTEL'],
    term: ['Accrued interest', 'Escrow adjustment', 'Amortisation', 'Prepayment charge'],
  },
};
