import type { BenchRandom } from '../lib/random.ts';

/**
 * Texts of model conversations for the bench, made of common English words with endings, names, places and numbers.
 * What matters is that they compress as real prompts do: shared system prompts nearly vanish, what people and models
 * write shrinks to about a third. `spans.test.ts` holds the ratio, so that nobody can make the figures nicer by duller
 * words.
 */
const list = (words: string): readonly string[] => words.split(' ');

const STEMS = list(
  'account acid adapt address adult advance agent airport album alarm alpha amount anchor angle animal annual answer apple area argue army arrive arrow article artist aspect asset assist atlas attach audit author autumn award balance ballot banana bank barrel basket battery beach bearing beauty benefit better bicycle billion bishop blanket block board border bottle boulder branch breath bridge brief broad bronze brother bubble budget buffer bundle burden butter button cabin cable camera canal cancel candle canvas carbon career cargo carpet carry castle casual cattle cause ceiling centre chain chair chapter charge cheese chemist cherry circle citizen claim clay clever client climate clinic cloud coach coast coffee collect column comfort common compass concert confirm connect consult contact copper corner cotton council counter couple courage course cousin craft credit crisis crowd culture current curtain custom damage dance danger debate decade decline deliver demand dentist depart depth desert design detail device diamond dinner direct disease display distance doctor dollar domain double dragon drawer driver during early earth editor effect effort eight elbow elder electric element embark emotion employ empty endless energy engine enough entire entry equal error escape estate evening event exact exam except expand expert explain export extra fabric factor failure falcon family famous farmer fashion father fault favour feature fellow fence ferry fibre field figure filter final finger finish fiscal flame flavour flight floor flower focus follow forest formal fortune forward fossil frame freedom frequent friend frozen fruit funnel future galaxy garage garden gather general gentle giant glass global golden govern grade grain grand gravel green grocer ground growth guard guest guide habit hammer handle harbour harvest hazard health heater height helmet hidden holiday honest honey horizon hospital hotel humble hundred hunger ideal image impact import income index indoor inform injury inland inner insect inside insure intend invest invite island jacket jersey jewel journal journey judge jungle junior justice kettle keyboard kingdom kitchen ladder language laptop large laugh launch lawyer layer leader league leather legal lemon lesson letter level library license light limit liquid listen little local logic lounge lower lucky lumber machine magnet maker manage manual marble margin market master matter meadow measure medal medical member memory mental mention merchant message metal method middle mineral minute mirror mission mobile model modern modest moment monitor month moral morning mother motion motor mountain muscle museum music mutual narrow nation native nature nearby needle neglect neighbour nephew neutral nickel noble normal north notice novel number object oblige observe ocean offer office onion online open opera option orange orchard order organ origin outer output oven owner oxygen packet paint palace panel paper parade parcel parent partner passage patent patient pattern payment pencil people pepper perfect period permit person phrase picnic picture pillow pilot pioneer planet plaster plate player plenty pocket poem police policy polite portion position potato pottery powder power practice prefer premium prepare present pretty price primary prince print prior private problem process product profit program project promise proper protect proud public pulse pump purple purpose puzzle quality quarter question quick quiet rabbit radar railway random rapid rarely rather reason rebuild recall receipt recent recipe record recover reduce refer reform refuse region relate release relief remain remote render repair repeat reply report request rescue reserve resist resort result retail return reveal review reward rhythm ribbon rice rider rifle river robust rocket roof rotate rough round route rubber runner rural sadly safety sailor salad salary salmon sample satisfy saucer scale scatter scheme school science screen script season second secret section secure select senior sensor series server settle seven shadow shallow shape share sheet shelter shield shift shoulder signal silent silver simple single sister sketch skill slender slice slogan smooth social socket solar soldier solid solve sorry source south space spare speaker special speech spice spirit split spoke sponsor spread spring square stable stadium staff stage stamp standard start state station steady steel stomach stone storage storm story straight strange stream street strike strong studio study subject submit sudden sugar suggest summer supply support surface surgery surprise survey sustain swallow sweater switch symbol syrup system table tackle talent target task taste teacher temple tenant tender tennis term theatre theory thirst thread ticket tiger timber tissue title tobacco tomato tongue topic total tourist towel tower track trade traffic train transit travel treaty trend trial tribe trick trouble truck trust tunnel turbine twelve twist typical umbrella uncle under union unique unit upper urban urgent useful usual vacant valid valley value vapour vast vehicle velvet vendor venture verify vessel victim video view village violin virtue visit visual vital voice volume voyage wagon walnut warehouse warm warning water wealth weapon weather wedding weekend welcome western wheel whisper willing window winter wisdom witness wonder wooden worker worth writer yellow yield young',
);
const ENDINGS = ['', '', '', '', '', 's', 's', 'ed', 'ing', 'er', 'ly', 'ness'] as const;
const GLUE = list(
  'the the the the the of of of and and and to to in in a a is is that it for was on with as at by this from be or are an not have has had but were which their one all there when who will more no if out so what up about than into them can only other time new some could these two may first then do any like my now over such our me even most made after also did many off before must well back through years where much your way down should because long each just state those people too little good very make world still own see men work get here between life',
);
const PLACES = list(
  'Aarhus Bilbao Cardiff Dresden Eindhoven Fukuoka Ghent Halifax Innsbruck Jaipur Kigali Ljubljana Malmö Nantes Oulu Porto Quito Riga Salzburg Tampere Utrecht Valencia Wrocław Xalapa Yerevan Zagreb',
);
const PEOPLE = list(
  'Amara Björn Carmen Dmitri Elif Farid Grace Hiro Isla Joaquín Kofi Leila Magnus Noor Olga Pietro Quinn Rosa Sven Thandi Uma Viktor Wanjiru Xenia Yara Zoltán',
);

function word(random: BenchRandom): string {
  const kind = random.below(100);
  if (kind < 42) return random.pick(GLUE);
  if (kind < 94) return `${random.pick(STEMS)}${random.pick(ENDINGS)}`;
  if (kind < 96) return random.pick(PEOPLE);
  if (kind < 98) return random.pick(PLACES);
  return String(random.below(10_000));
}

/** Sentences of six to sixteen words until `characters` are reached. */
export function prose(random: BenchRandom, characters: number): string {
  let text = '';
  while (text.length < characters) {
    const words = Array.from({ length: 6 + random.below(11) }, () => word(random));
    const sentence = words.join(' ');
    text += `${sentence[0]?.toUpperCase() ?? ''}${sentence.slice(1)}${random.below(7) === 0 ? '?' : '.'} `;
  }
  return text.slice(0, characters).trimEnd();
}

/** The system prompts of the made-up fleet: few, long, repeated on every call, as in practice. */
export function systemPrompts(random: BenchRandom, count: number): string[] {
  return Array.from(
    { length: count },
    (_, index) =>
      `You are assistant ${index + 1} of ${random.pick(PLACES)} Services. Answer in short sentences and name the case. ${prose(random, 330)}`,
  );
}
