import type { Domain } from './domain.ts';

export const health: Domain = {
  id: 'health',
  company: 'Linden Clinic',
  system:
    'You schedule appointments for Linden Clinic and explain preparation leaflets. You are no doctor: for symptoms, give general information and name the signs that need urgent care. Do not repeat birth dates or insurance numbers.',
  exchanges: [
    {
      ask: 'I would like to move my {specialty} appointment from {weekday} to the week after, mornings only.',
      reply:
        'I can offer {weekday} the {day}th at 08:40 or the day after at 09:20 in {specialty}. Both are with Dr {doctor}. Which one should I take? Your present slot stays reserved until you decide.',
    },
    {
      ask: 'Do I have to be fasting for the {test} tomorrow, and may I take my blood pressure tablets?',
      reply:
        'For a {test} please do not eat for eight hours before; water and unsweetened tea are fine. Tablets for blood pressure are normally taken as always with a sip of water. If you take something for diabetes or to thin the blood, call us today so that a doctor can decide.',
    },
    {
      ask: 'My son ({small} years) has had a fever of 38.9 since {weekday}. Should we come in?',
      reply:
        'A fever of 38.9 alone is often harmless at this age as long as he drinks and reacts normally. Come in today when it lasts longer than three days, he drinks little, breathes fast or has a rash. Go to emergency care at once for a stiff neck, confusion, or spots that do not fade under a glass. Shall I book the children’s hour at 16:30?',
    },
    {
      ask: 'How long do results of the {test} take, and where do I see them?',
      reply:
        'Results of a {test} usually arrive within {small} working days. You get a message and find them in the portal under Documents; when something needs to be discussed Dr {doctor} calls you before.',
    },
  ],
  followUps: [
    {
      ask: 'The first one please, and a reminder the evening before.',
      reply:
        'Booked with Dr {doctor} at 08:40. You get a reminder by text message the evening before at 18:00.',
    },
    {
      ask: 'Do you need a referral for that?',
      reply:
        'For {specialty} you need a referral of this quarter. Please bring it on paper or let your practice send it electronically.',
    },
    {
      ask: 'Where do I park?',
      reply:
        'Level 2 of the car park at {city} Street is for patients. The first {minutes} minutes are free, and the desk validates the ticket.',
    },
  ],
  documents: [
    {
      title: 'Preparing for a blood test',
      text: 'Fast for eight hours if lipids or glucose are measured. Drink water. Take regular medication unless your doctor said otherwise, and tell the nurse about blood thinners.',
    },
    {
      title: 'When to seek urgent care',
      text: 'Chest pain, trouble breathing, one-sided weakness, confusion, a stiff neck with fever, or heavy bleeding need emergency care at once. Do not drive yourself.',
    },
    {
      title: 'Appointments and cancellations',
      text: 'Appointments can be moved free of charge until 24 hours before. Missed appointments in radiology are billed with 35 €.',
    },
  ],
  slots: {
    specialty: ['cardiology', 'dermatology', 'orthopaedics', 'ophthalmology', 'physiotherapy'],
    test: ['blood test', 'glucose tolerance test', 'abdominal ultrasound', 'stress ECG', 'MRI of the knee'],
    doctor: ['Hansen', 'Okafor', 'Marchetti', 'Nakamura', 'Weiss'],
  },
};
