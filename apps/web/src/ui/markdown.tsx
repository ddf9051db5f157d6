import type { ReactNode } from 'react';
import { type Block, type ListItem, parseBlocks } from '../lib/markdown/blocks.ts';
import { type Inline, parseInlines, type References } from '../lib/markdown/inlines.ts';
import { safeTarget } from '../lib/markdown/safe-target.ts';

const INLINE_IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,/i;

/** A link that opens apart; only its words where the target is unsafe or missing: it would lead to this page. */
const Away = ({ href, children }: { href: string; children: ReactNode }) => {
  const target = safeTarget(href);
  return target === '' ? (
    <span>{children}</span>
  ) : (
    <a href={target} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );
};

/** Nothing is fetched from elsewhere: a picture with an address is a link, an embedded one is shown. */
const Picture = ({ src, alt }: { src: string; alt: string }) =>
  INLINE_IMAGE.test(src) ? (
    <img src={src} alt={alt} className="max-h-96 max-w-full" />
  ) : (
    <Away href={src}>image: {alt || safeTarget(src)}</Away>
  );

function Piece({ inline }: { inline: Inline }) {
  if (inline.type === 'text') return inline.text;
  if (inline.type === 'code') return <code>{inline.text}</code>;
  if (inline.type === 'break') return <br />;
  if (inline.type === 'image') return <Picture src={inline.src} alt={inline.alt} />;
  const inner = <Pieces of={inline.children} />;
  if (inline.type === 'link') return <Away href={inline.href}>{inner}</Away>;
  if (inline.type === 'strong') return <strong>{inner}</strong>;
  return inline.type === 'em' ? <em>{inner}</em> : <del>{inner}</del>;
}

/** They have no identity but their place. */
const Pieces = (props: { of: readonly Inline[] }) =>
  props.of.map((inline, index) => <Piece key={index} inline={inline} />);

interface Told {
  readonly references: References;
}

const Line = ({ text, references }: Told & { text: string }) => (
  <Pieces of={parseInlines(text, references)} />
);

const ALIGNED = { left: undefined, center: 'text-center!', right: 'text-right!' } as const;

function Table({ table, references }: Told & { table: Block & { type: 'table' } }) {
  const cellClass = (column: number) => ALIGNED[table.align[column] ?? 'left'];
  return (
    <table>
      <thead>
        <tr>
          {table.head.map((text, column) => (
            <th key={column} className={cellClass(column)}>
              <Line text={text} references={references} />
            </th>
          ))}
        </tr>
      </thead>
      {table.rows.length > 0 && (
        <tbody>
          {table.rows.map((row, index) => (
            <tr key={index}>
              {row.map((text, column) => (
                <td key={column} className={cellClass(column)}>
                  <Line text={text} references={references} />
                </td>
              ))}
            </tr>
          ))}
        </tbody>
      )}
    </table>
  );
}

function Item({ item, tight, references }: Told & { item: ListItem; tight: boolean }) {
  const box = item.checked !== undefined && <span aria-hidden>{item.checked ? '☑ ' : '☐ '}</span>;
  return (
    <li>
      {tight && box}
      {item.blocks.map((block, index) =>
        tight && block.type === 'paragraph' ? (
          <Line key={index} text={block.text} references={references} />
        ) : (
          <Piled key={index} block={block} references={references} box={!tight && index === 0 && box} />
        ),
      )}
    </li>
  );
}

function Piled({ block, references, box }: Told & { block: Block; box?: ReactNode }) {
  if (block.type === 'paragraph')
    return (
      <p>
        {box}
        <Line text={block.text} references={references} />
      </p>
    );
  // Headings of a message are text within it, not headings of the page.
  if (block.type === 'heading')
    return (
      <p className={block.level === 1 ? 'mt-3 text-lg font-semibold' : 'mt-3 font-semibold'}>
        <Line text={block.text} references={references} />
      </p>
    );
  if (block.type === 'code')
    return (
      <pre>
        <code>{block.text}</code>
      </pre>
    );
  if (block.type === 'rule') return <hr />;
  if (block.type === 'table') return <Table table={block} references={references} />;
  if (block.type === 'quote')
    return (
      <blockquote>
        <Pile blocks={block.blocks} references={references} />
      </blockquote>
    );
  const items = block.items.map((item, index) => (
    <Item key={index} item={item} tight={block.tight} references={references} />
  ));
  if (block.start === undefined) return <ul>{items}</ul>;
  return <ol start={block.start === 1 ? undefined : block.start}>{items}</ol>;
}

const Pile = ({ blocks, references }: Told & { blocks: readonly Block[] }) =>
  blocks.map((block, index) => <Piled key={index} block={block} references={references} />);

/** Markdown of a message. Raw HTML in it stays text; only safe link targets survive. */
export default function SafeMarkdown({ text }: { text: string }) {
  return (
    <div className="prose-message">
      <Pile {...parseBlocks(text)} />
    </div>
  );
}
