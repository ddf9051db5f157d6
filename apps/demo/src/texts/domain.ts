import type { Random } from '../random.ts';

interface Exchange {
  readonly ask: string;
  readonly reply: string;
}

/** What people of one trade talk about. `{slot}` in a text is filled from `slots`, the same within a story. */
export interface Domain {
  readonly id: string;
  readonly company: string;
  readonly system: string;
  readonly exchanges: readonly Exchange[];
  readonly followUps: readonly Exchange[];
  readonly documents: readonly { readonly title: string; readonly text: string }[];
  readonly slots: Readonly<Record<string, readonly string[]>>;
}

const COMMON: Readonly<Record<string, readonly string[]>> = {
  person: [
    'Amelia',
    'Jonas',
    'Priya',
    'Mateo',
    'Chidi',
    'Yuki',
    'Lena',
    'Omar',
    'Sofia',
    'Ravi',
    'Ingrid',
    'Tomás',
  ],
  weekday: ['Monday', 'Tuesday', 'Wednesday', 'Thursday', 'Friday', 'Saturday'],
  city: ['Lisbon', 'Hamburg', 'Austin', 'Osaka', 'Nairobi', 'Lyon', 'Toronto', 'Kraków', 'Bogotá', 'Leeds'],
  month: ['January', 'March', 'April', 'June', 'September', 'October', 'November'],
  small: ['two', 'three', 'four', 'five', 'six'],
  percent: ['4', '7', '12', '15', '18', '23', '31', '46'],
  minutes: ['5', '10', '15', '20', '30', '45'],
};

/** One telling: remembers how each slot was filled, so that question, answer and tool call speak of the same order. */
export class Story {
  readonly domain: Domain;
  readonly #random: Random;
  readonly #filled = new Map<string, string>();

  constructor(random: Random, domain: Domain) {
    this.#random = random;
    this.domain = domain;
  }

  text(template: string): string {
    return template.replaceAll(/\{(\w+)\}/g, (_whole, slot: string) => this.slot(slot));
  }

  slot(name: string): string {
    const known = this.#filled.get(name);
    if (known !== undefined) return known;
    const value = this.#invent(name);
    this.#filled.set(name, value);
    return value;
  }

  #invent(name: string): string {
    const options = this.domain.slots[name] ?? COMMON[name];
    if (options) return this.#random.pick(options);
    switch (name) {
      case 'number':
        return String(this.#random.int(10_000, 99_999));
      case 'amount':
        return `${this.#random.int(12, 890)}.${String(this.#random.int(0, 99)).padStart(2, '0')}`;
      case 'day':
        return String(this.#random.int(1, 28));
      case 'count':
        return String(this.#random.int(3, 240));
      default:
        throw new RangeError(`no words for {${name}} in ${this.domain.id}`);
    }
  }
}
