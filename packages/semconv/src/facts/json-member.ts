/** One member out of a JSON text of any size, without parsing the whole: facts are read of every span. */
const MAX_MEMBER = 4096;

/** The value of the last member of that name as JSON text (an object, text or number); '' when there is none or it is longer. */
export function lastMember(text: unknown, name: string): string {
  if (typeof text !== 'string') return '';
  // Inside of a text of the JSON the quotes are escaped: what is found is a member, or a text by itself.
  for (
    let at = text.lastIndexOf(`"${name}"`);
    at !== -1;
    at = at === 0 ? -1 : text.lastIndexOf(`"${name}"`, at - 1)
  ) {
    const rest = text.slice(at + name.length + 2, at + name.length + 2 + MAX_MEMBER);
    const colon = /^\s*:\s*/.exec(rest)?.[0];
    if (colon !== undefined) return valueAt(rest.slice(colon.length));
  }
  return '';
}

function valueAt(text: string): string {
  if (text.startsWith('"')) return /^"(?:[^"\\]|\\.)*"/.exec(text)?.[0] ?? '';
  if (!text.startsWith('{')) return /^-?[\d.eE+-]+|^true|^false/.exec(text)?.[0] ?? '';
  let depth = 0;
  let quoted = false;
  for (let at = 0; at < text.length; at++) {
    const char = text.charAt(at);
    if (quoted) {
      if (char === '\\') at += 1;
      else if (char === '"') quoted = false;
    } else if (char === '"') quoted = true;
    else if (char === '{') depth += 1;
    else if (char === '}' && --depth === 0) return text.slice(0, at + 1);
  }
  return '';
}

/** A text that was sent as JSON text (`"\"CHAT_MODEL\""`), or as it is. */
export function unquoted(value: unknown): string {
  if (typeof value !== 'string') return '';
  if (!value.startsWith('"') || value.length > MAX_MEMBER) return value.slice(0, 512).trim();
  try {
    const parsed: unknown = JSON.parse(value);
    return typeof parsed === 'string' ? parsed.slice(0, 512).trim() : '';
  } catch {
    return value.slice(0, 512).trim();
  }
}
