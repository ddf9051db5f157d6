import type { MarkedToken, Token, Tokens } from 'marked';
import { createContext, type ReactNode, use, useMemo } from 'react';
import { ownTarget, safeTarget } from '../lib/markdown/safe-target.ts';
import { decoded, tokensOf, wordsOf } from '../lib/markdown/tokens.ts';

const INLINE_IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,/i;

/** Whether it stands in a link: an address and a picture there are its words, since no link may hold another. */
const InLink = createContext(false);
/** Whether links lead to pages of this application alone: the text is a model's, and others write what it reads. */
const OwnLinks = createContext(false);

/**
 * A link that opens apart; only its words within another one, and where the target is unsafe or missing: it would lead
 * to this page.
 */
function Away({ href, children }: { href: string; children: ReactNode }) {
  const target = use(OwnLinks) ? ownTarget(href) : safeTarget(href);
  return use(InLink) || target === '' ? (
    <span>{children}</span>
  ) : (
    <a href={target} target="_blank" rel="noopener noreferrer nofollow">
      <InLink value>{children}</InLink>
    </a>
  );
}

/** Nothing is fetched from elsewhere: a picture with an address is a link, an embedded one is shown. */
const Picture = ({ src, alt }: { src: string; alt: string }) =>
  use(OwnLinks) ? (
    <span>image: {alt}</span>
  ) : INLINE_IMAGE.test(src) ? (
    <img src={src} alt={alt} className="max-h-96 max-w-full" />
  ) : (
    <Away href={src}>image: {alt || safeTarget(src)}</Away>
  );

/** Tokens have no identity but their place. */
const Pile = ({ of }: { of: readonly Token[] | undefined }) =>
  of?.map((token, index) => <Piece key={index} token={token as MarkedToken} />);

const ALIGNED = { left: undefined, center: 'text-center!', right: 'text-right!' } as const;

const Cells = ({ as: Cell, of }: { as: 'th' | 'td'; of: readonly Tokens.TableCell[] }) => (
  <tr>
    {of.map((cell, column) => (
      <Cell key={column} className={ALIGNED[cell.align ?? 'left']}>
        <Pile of={cell.tokens} />
      </Cell>
    ))}
  </tr>
);

const Table = ({ head, rows }: { head: Tokens.TableCell[]; rows: Tokens.TableCell[][] }) => (
  <table>
    <thead>
      <Cells as="th" of={head} />
    </thead>
    {rows.length > 0 && (
      <tbody>
        {rows.map((row, index) => (
          <Cells key={index} as="td" of={row} />
        ))}
      </tbody>
    )}
  </table>
);

function List({ list }: { list: Tokens.List }) {
  const items = list.items.map((item, index) => (
    <li key={index}>
      <Pile of={item.tokens} />
    </li>
  ));
  if (list.start === '') return <ul>{items}</ul>;
  return <ol start={list.start === 1 ? undefined : list.start}>{items}</ol>;
}

function Piece({ token }: { token: MarkedToken }): ReactNode {
  switch (token.type) {
    case 'space':
    case 'def':
      return null;
    case 'paragraph':
      return (
        <p>
          <Pile of={token.tokens} />
        </p>
      );
    // Headings of a message are text within it, not headings of the page.
    case 'heading':
      return (
        <p className={token.depth === 1 ? 'mt-3 text-lg font-semibold' : 'mt-3 font-semibold'}>
          <Pile of={token.tokens} />
        </p>
      );
    case 'code':
      return (
        <pre>
          <code>{token.text.replace(/\n$/, '')}</code>
        </pre>
      );
    case 'hr':
      return <hr />;
    case 'blockquote':
      return (
        <blockquote>
          <Pile of={token.tokens} />
        </blockquote>
      );
    case 'list':
      return <List list={token} />;
    case 'table':
      return <Table head={token.header} rows={token.rows} />;
    case 'checkbox':
      return (
        <span role="img" aria-label={token.checked ? 'done' : 'open'}>
          {token.checked ? '☑ ' : '☐ '}
        </span>
      );
    case 'text':
      return token.tokens === undefined ? decoded(token.text) : <Pile of={token.tokens} />;
    case 'codespan':
      return <code>{token.text}</code>;
    case 'br':
      return <br />;
    case 'em':
      return (
        <em>
          <Pile of={token.tokens} />
        </em>
      );
    case 'strong':
      return (
        <strong>
          <Pile of={token.tokens} />
        </strong>
      );
    case 'del':
      return (
        <del>
          <Pile of={token.tokens} />
        </del>
      );
    case 'link':
      // What stands for itself is written as it is: `&` and all.
      return (
        <Away href={token.autolink ? token.href : decoded(token.href)}>
          {token.autolink ? token.text : <Pile of={token.tokens} />}
        </Away>
      );
    case 'image':
      return <Picture src={decoded(token.href)} alt={wordsOf(token.tokens)} />;
    default:
      return token.text;
  }
}

/** Markdown of a message. Raw HTML in it stays text; only safe link targets survive. */
export default function SafeMarkdown({ text, ownLinks = false }: { text: string; ownLinks?: boolean }) {
  const tokens = useMemo(() => tokensOf(text), [text]);
  return (
    <div className="prose-message">
      <OwnLinks value={ownLinks}>
        {tokens === undefined ? <p className="whitespace-pre-wrap">{text}</p> : <Pile of={tokens} />}
      </OwnLinks>
    </div>
  );
}
