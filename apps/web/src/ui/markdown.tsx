import type { ReactNode } from 'react';
import Markdown, { type Components, defaultUrlTransform } from 'react-markdown';
import remarkGfm from 'remark-gfm';

const INLINE_IMAGE = /^data:image\/(png|jpeg|gif|webp);base64,/i;

/** A link that opens apart; only its words where the target was unsafe and is gone: it would lead to this page. */
const Away = ({ href, children }: { href: string | undefined; children: ReactNode }) =>
  href === undefined || href === '' ? (
    <span>{children}</span>
  ) : (
    <a href={href} target="_blank" rel="noopener noreferrer nofollow">
      {children}
    </a>
  );

const components: Components = {
  a: ({ href, children }) => <Away href={href}>{children}</Away>,
  // Nothing is fetched from elsewhere: a picture with an address is a link, an embedded one is shown.
  img: ({ src, alt }) =>
    typeof src === 'string' && INLINE_IMAGE.test(src) ? (
      <img src={src} alt={alt ?? ''} className="max-h-96 max-w-full" />
    ) : (
      <Away href={typeof src === 'string' ? src : undefined}>image: {alt || String(src)}</Away>
    ),
  // Headings of a message are text within it, not headings of the page.
  h1: ({ children }) => <p className="mt-3 text-lg font-semibold">{children}</p>,
  h2: ({ children }) => <p className="mt-3 font-semibold">{children}</p>,
  h3: ({ children }) => <p className="mt-3 font-semibold">{children}</p>,
  h4: ({ children }) => <p className="mt-3 font-semibold">{children}</p>,
  h5: ({ children }) => <p className="mt-3 font-semibold">{children}</p>,
  h6: ({ children }) => <p className="mt-3 font-semibold">{children}</p>,
  input: ({ checked }) => <span aria-hidden>{checked ? '☑ ' : '☐ '}</span>,
};

/** Markdown of a message. Raw HTML in it stays text; only safe link targets survive. */
export default function SafeMarkdown({ text }: { text: string }) {
  return (
    <div className="prose-message">
      <Markdown
        remarkPlugins={[remarkGfm]}
        components={components}
        urlTransform={(url, key) =>
          key === 'src' && INLINE_IMAGE.test(url) ? url : defaultUrlTransform(url)
        }
      >
        {text}
      </Markdown>
    </div>
  );
}
