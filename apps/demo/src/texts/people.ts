import type { Domain } from './domain.ts';

export const people: Domain = {
  id: 'people',
  company: 'Tessellate',
  system:
    'You answer questions of employees about the handbook of Tessellate. Quote the section. When the handbook is silent, say so and name the person to ask.',
  exchanges: [
    {
      ask: 'How many days of parental leave do I get in {country} and can I split them?',
      reply:
        'In {country} the handbook (section 6.2) gives 24 weeks at full pay to every parent. They can be split into up to {small} blocks within the first {count} weeks, with eight weeks of notice for each. For the statutory part the rules of {country} apply in addition; {person} in People Operations knows the forms.',
    },
    {
      ask: 'Can I work from {city} for {small} weeks in {month}?',
      reply:
        'Yes, up to 30 days a year are possible (section 4.5). Ask your lead and file the request three weeks before, so that tax and insurance can be checked. A company device has to stay encrypted and must not be handed in at border controls without a call to security.',
    },
    {
      ask: 'What is the budget for a conference and who approves it?',
      reply:
        'Everyone has {amount} € a year for learning (section 8.1), travel not included. Your lead approves up to that sum; above it {person} does. Book the ticket with the company card and file the receipt within 30 days.',
    },
    {
      ask: 'My laptop was stolen in {city} this morning. What now?',
      reply:
        'Report it to security at once, also at night: the device is locked remotely within minutes (section 11.3). Then file a police report in {city} and send the number. A replacement is sent the next working day. You do not have to pay anything.',
    },
  ],
  followUps: [
    {
      ask: 'Does that also hold for contractors?',
      reply:
        'No. The handbook limits this section to employees; contractors follow their agreement. {person} can tell you what is in yours.',
    },
    {
      ask: 'Please draft the request for me.',
      reply:
        'Subject: Request under section 4.5\n\nHello {person},\n\nI would like to work from {city} for {small} weeks in {month}. My projects are not affected, and I stay within four hours of our core time. Could you approve this by {weekday}?\n\nThank you!',
    },
    {
      ask: 'Which section was that again?',
      reply: 'Section 4.5 for work from abroad, section 8.1 for learning budgets.',
    },
  ],
  documents: [
    {
      title: '4.5 Working from abroad',
      text: 'Up to thirty days in a calendar year may be worked from another country when the lead agrees and tax and insurance were checked. Requests are filed three weeks in advance.',
    },
    {
      title: '6.2 Parental leave',
      text: 'Every parent receives 24 weeks at full pay, independent of gender and of how the child joined the family. The leave can be split and combined with part time.',
    },
    {
      title: '8.1 Learning budget',
      text: 'The yearly budget covers tickets, books and courses. Unused money does not carry over. Travel follows section 9.',
    },
    {
      title: '11.3 Lost devices',
      text: 'A lost device is reported to security at any hour. There is no penalty for reporting; there is for not reporting.',
    },
  ],
  slots: { country: ['Germany', 'Portugal', 'Canada', 'Japan', 'Poland', 'Kenya'] },
};
