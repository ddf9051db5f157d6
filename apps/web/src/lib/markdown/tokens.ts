import { decodeNamedCharacterReference } from 'decode-named-character-reference';
import { Lexer, type MarkedToken, type Token, Tokenizer, type Tokens, type TokensList } from 'marked';
import { decodeNumericCharacterReference } from 'micromark-util-decode-numeric-character-reference';

/** Characters; more are not read as markdown. */
const MOST_TEXT = 100_000;
/** Quotes and lists nest no deeper: what is said deeper is a paragraph. */
const MOST_BLOCKS = 16;
/** Emphasis and links nest no deeper: what is said deeper is text. */
const MOST_INLINES = 24;
/** Characters of an address in running text. */
const MOST_ADDRESS = 4_000;
/**
 * Characters that the marks of a text may be followed through to find their ends: the reader begins anew at each
 * mark, which takes minutes where thousands never end. Once they are spent marks are text.
 */
const MOST_WORK = 4_000_000;
/**
 * Characters behind the beginnings of lists and quotes in a quote: the reader copies them anew where a line goes on
 * lazily. Once they are spent such a line ends its quote, and the lists and quotes behind it are paragraphs.
 */
const MOST_COPIED = 20_000_000;
/** Characters of an address of mail. */
const MOST_MAIL = 400;

/** Reads HTML as words and footnotes too, and takes time in proportion to the text, whatever that is. */
class BoundTokenizer extends Tokenizer {
  #work = 0;
  #copied = 0;
  #blocks = 0;
  #quotes = 0;
  /** The list or quote read last. */
  #latest: Tokens.List | Tokens.Blockquote | undefined;

  /** What stands between two tags is markdown: models put their thoughts and their sources there. */
  override html(): undefined {}

  /** Words that hold no marks and no address. It begins no link and no code, as the reader's own would. */
  override tag(src: string): Tokens.Tag | undefined {
    return this.#begun('<', src, () => {
      const raw = this.rules.inline.tag.exec(src)?.[0];
      if (raw === undefined) return undefined;
      return { type: 'html', raw, text: raw, block: false, inLink: false, inRawBlock: false };
    });
  }

  override def(src: string): Tokens.Def | undefined {
    return /^ *\[\^/.test(src) ? undefined : super.def(src);
  }

  override blockquote(src: string): Tokens.Blockquote | undefined {
    // Where a list in the quote is read anew, the reader fails at a list that could not interrupt what stands before the quote.
    const state: { lastToken?: Token | undefined } = this.lexer.state;
    const before = state.lastToken;
    state.lastToken = undefined;
    this.#quotes += 1;
    const found = this.#nested(src, 'blockquote', () => super.blockquote(src));
    this.#quotes -= 1;
    state.lastToken = before;
    return found;
  }

  override list(src: string): Tokens.List | undefined {
    return this.#nested(src, 'list', () => super.list(src));
  }

  override link(src: string): ReturnType<Tokenizer['link']> {
    return this.#begun('[!', src, () => super.link(src));
  }

  override reflink(src: string, links: TokensList['links']): ReturnType<Tokenizer['reflink']> {
    return this.#begun('[!', src, () => super.reflink(src, links));
  }

  override emStrong(src: string, masked: string, before?: string): ReturnType<Tokenizer['emStrong']> {
    return this.#begun('*_', src, () => super.emStrong(src, masked, before));
  }

  override del(src: string, masked: string, before?: string): Tokens.Del | undefined {
    return this.#begun('~', src, () => super.del(src, masked, before));
  }

  override codespan(src: string): Tokens.Codespan | undefined {
    return this.#begun('`', src, () => super.codespan(src));
  }

  override url(src: string): Tokens.Link | undefined {
    const isMail = !/^(?:https?:|ftp:|www\.)/i.test(src);
    const most = isMail ? MOST_MAIL : MOST_ADDRESS;
    const found = super.url(src.slice(0, most));
    // What is cut off must not be a part of it: else the beginning of a long address would be another one.
    const end = isMail ? /[^\w.+-]/ : /[\s<]/;
    const isCut = found && src.length > most && !end.test(src.slice(found.raw.length, most + 1));
    return isCut ? undefined : found;
  }

  /** Looks no further for an `@` than mail has it. */
  override inlineText(src: string): Tokens.Text | undefined {
    const near = super.inlineText(src.slice(0, MOST_MAIL));
    return near?.raw.length === MOST_MAIL ? super.inlineText(src) : near;
  }

  #nested<T extends Tokens.List | Tokens.Blockquote>(
    src: string,
    type: T['type'],
    read: () => T | undefined,
  ): T | undefined {
    if (this.#blocks >= MOST_BLOCKS) return undefined;
    if (this.#copied > MOST_COPIED) {
      // A quote that reads its last part anew, with lazy lines behind it, needs an answer: the part without them.
      const { type: found, raw = '' } = this.#latest ?? {};
      return found === type && src.startsWith(`${raw}\n`) ? (this.#latest as T) : undefined;
    }
    this.#blocks += 1;
    const found = read();
    this.#blocks -= 1;
    if (found === undefined) return undefined;
    if (this.#quotes > 0) this.#copied += src.length;
    this.#latest = found;
    return found;
  }

  #begun<T extends { raw: string }>(marks: string, src: string, read: () => T | undefined): T | undefined {
    if (!marks.includes(src.charAt(0)) || this.#work > MOST_WORK) return undefined;
    const found = read();
    this.#work += (found?.raw ?? src).length;
    return found;
  }
}

class BoundLexer extends Lexer {
  #inlines = 0;

  override inlineTokens(src: string, tokens: Token[] = []): Token[] {
    if (this.#inlines > MOST_INLINES) {
      tokens.push({ type: 'text', raw: src, text: src, escaped: false });
      return tokens;
    }
    this.#inlines += 1;
    super.inlineTokens(src, tokens);
    this.#inlines -= 1;
    return tokens;
  }
}

/** The blocks of a text as CommonMark and GFM have them, raw HTML being words; undefined where it is to be shown as it is. */
export function tokensOf(text: string): readonly MarkedToken[] | undefined {
  if (text.length > MOST_TEXT) return undefined;
  try {
    const lexer = new BoundLexer({ gfm: true, tokenizer: new BoundTokenizer() });
    return lexer.lex(text.replaceAll('\0', '\u{fffd}')) as Token[] as MarkedToken[];
  } catch {
    // A text that its reader fails at is a text all the same.
    return undefined;
  }
}

/** Words of a token with the characters that `&amp;`, `&#65;` and `&#x42;` stand for. */
export const decoded = (text: string): string =>
  text.replace(
    /&(?:#(\d{1,7})|#x([\da-f]{1,6})|([a-z][a-z\d]{1,31}));/gi,
    (written, decimal?: string, hex?: string, name?: string) => {
      if (name !== undefined) return decodeNamedCharacterReference(name) || written;
      return decimal === undefined
        ? decodeNumericCharacterReference(hex ?? '', 16)
        : decodeNumericCharacterReference(decimal, 10);
    },
  );

/** What of inline tokens is words: what a picture is called. */
export const wordsOf = (tokens: readonly Token[]): string =>
  (tokens as readonly MarkedToken[])
    .map((token) => {
      if ('tokens' in token && token.tokens !== undefined) return wordsOf(token.tokens);
      if (token.type === 'br') return '\n';
      if (token.type === 'text') return decoded(token.text);
      return 'text' in token ? token.text : token.raw;
    })
    .join('');
