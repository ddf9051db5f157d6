/**
 * What a person's newest message asks to be written. A pure function of its text: what stands in telemetry, in older
 * messages or in quotes asks for nothing. Where in doubt the answer is no, and the assistant says how to ask.
 */

/** Texts in quotes, code and quoted lines are somebody else's words. */
const withoutQuotes = (text: string): string =>
  text
    .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
    .replaceAll(/`[^`]*`/g, ' ')
    .replaceAll(/^\s*>.*$/gm, ' ')
    .replaceAll(/"[^"\n]*"|“[^”\n]*”|„[^“”\n]*[“”]|«[^»\n]*»/g, ' ')
    .replaceAll(/(^|[\s(:])'[^'\n]*'(?=$|[\s).,;:!?])/g, '$1 ');

const VERBS =
  'save|apply|update|publish|release|create|speicher\\w*|veröffentlich\\w*|wende|erstell\\w*|aktualisier\\w*|enregistre\\w*|publie\\w*|applique\\w*|crée\\w*|guarda\\w*|publica\\w*|aplica\\w*|crea|actualiza\\w*';
const VERB = new RegExp(`(?<![\\p{L}\\p{N}])(?:${VERBS})(?![\\p{L}\\p{N}])`, 'iu');

/** What a version is of, or what was just suggested. */
const OBJECT =
  /(?<![\p{L}\p{N}])(?:prompts?|versions?|versión|it|this|that|them|changes?|suggestions?|improvements?|rewrite|es|sie|ihn|das|die|den|änderungen|fassung|le|la|les|ces|modifications?|lo|los|cambios)(?![\p{L}\p{N}])/iu;

const NEGATION =
  /(?<![\p{L}\p{N}])(?:don['’]?t|do not|not|never|without|no need|instead of|rather than|avoid|stop|cancel|nothing|nicht|kein\w*|ohne|niemals|ne|pas|sans|jamais|no|nunca|sin)(?![\p{L}\p{N}])/iu;

/** A request that is put as a question is one; any other question is none. */
const POLITE =
  /^(?:please\s+|ok(?:ay)?,?\s+|yes,?\s+|then\s+|now\s+)*(?:can|could|would|will) you (?:please |now |also |just |go ahead and )*(?:\w+ and )?$/iu;
const QUESTION_START =
  /^(?:how|what|why|when|where|who|which|should|shall|would|could|can|may|is|are|was|were|did|does|do|has|have|had|if|wie|was|warum|wann|wer|soll\w*|kann\w*|darf|ist|sind|hat|comment|pourquoi|quand|est-ce|faut-il|cómo|qué|por qué|cuándo|debería|se puede|¿)(?![\p{L}\p{N}])/iu;
/** Speech about somebody's act, and wishes for later. */
const REPORTED =
  /(?<![\p{L}\p{N}])(?:i|we|they|he|she|you|someone|somebody|who|which|that|colleague|team|yesterday|last \w+|later|tomorrow|next week|before (?:we|i|you)|after (?:we|i|you)|until|unless|once|if|when|maybe|perhaps|thinking about|considering|wir|sie|morgen|später|wenn|falls|vielleicht|demain|plus tard|peut-être|si|mañana|quizás)(?:['’]\w+)?\s+(?:\p{L}+\s+){0,3}$/iu;
/** Leading words that leave the sentence a command. */
const COMMAND_BEFORE =
  /^(?:(?:please|pls|ok(?:ay)?|yes|yep|sure|great|good|perfect|thanks|fine|now|then|and|also|so|just|go ahead and|go ahead|you can|you may|bitte|ja|gut|jetzt|dann|und|oui|bien|maintenant|s'il te plaît|s'il vous plaît|sí|vale|ahora|por favor|i want you to|i['’]d like you to|let['’]s|looks good|lgtm|(?:review|improve|shorten|rewrite|fix|translate|check|take|change|edit|make)\b[^.!?\n]{0,120}?(?:\band|\bthen|,))[\s,:;-]*)*$/iu;
const IMPERSONAL =
  /\b(?:updates?|saves?|creates?|publishes|applies)\b\s+(?:is|are|was|were|has|have|date|time|frequency|count)\b/iu;

function clausesOf(text: string): string[] {
  return withoutQuotes(text)
    .split(/(?<=[.!?;\n])\s+|\n+|(?<=[.!?])(?=¿)/u)
    .map((clause) => clause.trim())
    .filter((clause) => clause !== '');
}

function commands(clause: string, verb: RegExp): boolean {
  const found = verb.exec(clause);
  if (found === null || NEGATION.test(clause) || IMPERSONAL.test(clause)) return false;
  const before = clause.slice(0, found.index);
  const isQuestion = /[?？]\s*$/.test(clause) || QUESTION_START.test(clause);
  if (isQuestion) return POLITE.test(before);
  if (REPORTED.test(before) && !/(?:you (?:can|may)|want you to|like you to)\s*$/iu.test(before))
    return false;
  return COMMAND_BEFORE.test(before);
}

/** Whether the newest message asks to save, apply, update, publish or create a version of a prompt. */
export function asksForPromptVersion(message: string): boolean {
  return clausesOf(message).some((clause) => {
    const verb = VERB.exec(clause);
    return verb !== null && OBJECT.test(clause.slice(verb.index)) && commands(clause, VERB);
  });
}

const CREATE =
  /(?<![\p{L}\p{N}])(?:create|add|make|set up|save|store|erstell\w*|lege?|füge|crée\w*|ajoute\w*|crea|añade)(?![\p{L}\p{N}])/iu;

/** Whether the newest message asks to create something. */
export const asksToCreate = (message: string): boolean =>
  clausesOf(message).some((clause) => commands(clause, CREATE));
