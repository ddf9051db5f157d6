import type { Domain } from './domain.ts';

export const shop: Domain = {
  id: 'shop',
  company: 'Fernweh Outdoor',
  system:
    'You are the support assistant of Fernweh Outdoor, a shop for hiking and climbing gear. Be brief and friendly. Never promise a refund before the return was scanned. Give prices in euros and name the order number when you know it.',
  exchanges: [
    {
      ask: 'Hi, my order FW-{number} was supposed to arrive on {weekday} and the tracking has not moved since {city}. Can you check?',
      reply:
        'I looked at order FW-{number}: the parcel with your {item} was scanned in {city} and then missed the connecting truck. The carrier now plans delivery for {weekday}. If it has not arrived by the evening I will open an investigation and send a replacement at no cost.',
    },
    {
      ask: 'I bought the {item} in {colour} and it is too small. How do I exchange it for the next size?',
      reply:
        'No problem. You can exchange the {item} within 60 days as long as it is unworn. I have created a return label for order FW-{number}; as soon as the parcel is scanned we ship the {colour} one in the next size. The exchange is free of charge.',
    },
    {
      ask: 'Is the {item} warm enough for a night at around -{minutes} degrees in the {region}?',
      reply:
        'On its own, only down to about freezing. For a night at -{minutes} °C in the {region} I would combine the {item} with an insulated mat of R-value 4 or more and a liner, which adds roughly 5 degrees. Eat something warm before you sleep, it matters more than one more layer.',
    },
    {
      ask: 'You charged me {amount} euros twice for the same order!!! FW-{number}',
      reply:
        'I am sorry about that. I can see two authorisations of {amount} € for FW-{number}, but only one of them was captured. The other is a reservation of your bank and disappears within {small} working days; no money was taken twice. If it is still there after that, send me a picture of the statement and I escalate it.',
    },
    {
      ask: '¿Hacéis envíos a {city} y cuánto cuesta? Quiero comprar {small} unidades de {item}.',
      reply:
        'Sí, enviamos a {city}. Para un pedido de más de 80 € el envío es gratuito; por debajo cuesta 5,90 €. Los artículos están en almacén y llegarían en 3 a 5 días laborables.',
    },
    {
      ask: 'Was ist der Unterschied zwischen {item} und dem Modell vom letzten Jahr? Lohnt sich der Aufpreis von {amount} €?',
      reply:
        'Das neue Modell ist etwa {percent} % leichter und hat einen Reißverschluss, der sich auch mit Handschuhen öffnen lässt. Der Stoff ist derselbe. Wenn du nicht auf jedes Gramm achtest, ist das Modell vom letzten Jahr für {amount} € weniger die bessere Wahl.',
    },
  ],
  followUps: [
    {
      ask: 'And can it go to my office instead? The address is {count} Mill Lane, {city}.',
      reply:
        'Yes. The parcel has not left the last depot yet, so I redirected it to {count} Mill Lane, {city}. You will get a message with the new time window this evening.',
    },
    {
      ask: 'ok thanks 🙏 do I need to keep the box?',
      reply:
        'The original box is not necessary. Any sturdy carton will do, just put the printed label on the outside.',
    },
    {
      ask: 'What would you take for {small} days in the {region} in {month}?',
      reply:
        'For {small} days in the {region} in {month}: a 45 litre pack, the {item}, one dry set of base layers, a stove with 230 g of gas, and a paper map as a spare for the phone. Water is easy to find, so a filter saves you two litres of weight.',
    },
    {
      ask: 'Can I use the voucher I got for my birthday on top of the sale price?',
      reply:
        'One voucher per order can be combined with sale prices, except for gift cards. It is taken off at the end of checkout, before shipping is added.',
    },
  ],
  documents: [
    {
      title: 'Returns and exchanges',
      text: 'Articles can be returned within 60 days of delivery when they are unworn and complete. Ropes, harnesses and helmets are excluded for safety reasons once the seal was opened. The refund starts when the parcel is scanned at the depot and takes three to five working days.',
    },
    {
      title: 'Sleeping bag temperature ratings',
      text: 'The comfort limit is the temperature at which a person with average cold tolerance sleeps well; the lower limit is for experienced sleepers in a curled position. Ratings assume a mat with an R-value of at least 3.8 and dry clothing.',
    },
    {
      title: 'Care of waterproof membranes',
      text: 'Wash at 30 degrees with a liquid detergent, never with softener. Renew the water-repellent finish after every fourth wash and activate it with low heat in the dryer for twenty minutes.',
    },
    {
      title: 'Shipping zones and costs',
      text: 'Zone 1 (Germany, Austria): 2 to 3 days, free above 50 €. Zone 2 (European Union): 3 to 5 days, free above 80 €. Zone 3 (Switzerland, Norway, United Kingdom): 5 to 8 days, customs are paid by the recipient.',
    },
    {
      title: 'Warranty on poles and tents',
      text: 'Aluminium poles carry a five year warranty against breakage under normal wind load. Damage by improper pitching is repaired at cost; a spare segment is 9.90 €.',
    },
  ],
  slots: {
    item: [
      'Skarn 35 backpack',
      'Nordlys down jacket',
      'Fjell 2 tent',
      'Kestrel climbing shoes',
      'Tarn sleeping bag',
      'Moraine trekking poles',
      'Ember stove',
      'Ridge rain shell',
    ],
    colour: ['moss green', 'slate blue', 'black', 'rust', 'sand'],
    region: ['Pyrenees', 'Dolomites', 'Scottish Highlands', 'High Tatras', 'Lofoten', 'Sierra Nevada'],
  },
};
