import { existsSync, globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import Reference, { type Components } from 'react-markdown';
import remarkGfm from 'remark-gfm';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import SafeMarkdown from '../../ui/markdown.tsx';

const shown = (text: string): string =>
  renderToStaticMarkup(createElement(SafeMarkdown, { text })).replace(
    /^<div class="prose-message">|<\/div>$/g,
    '',
  );

/** What both say, without what they say differently by design: classes, headings, boxes of tasks, space between blocks. */
const bare = (html: string): string =>
  html
    .replace(/<(\/?)h\d>/g, '<$1p>')
    .replace(/<input[^>]*checked=""[^>]*>/g, '☑')
    .replace(/<input[^>]*>/g, '☐')
    .replace(/<span aria-hidden="true">(.) <\/span>/g, '$1')
    .replace(/([☑☐])\s+/g, '$1')
    .replace(/ (?:class|style|target|rel|node)="[^"]*"/g, '')
    .replace(/\s*(<\/?(?:p|ul|ol|li|pre|blockquote|table|thead|tbody|tr|th|td|hr|br|div)[^>]*>)\s*/g, '$1')
    .replace(/\n(<\/code><\/pre>)/g, '$1')
    .replaceAll('%20', ' ')
    .replace(/\s+/g, ' ');
const ours = (text: string) => bare(shown(text));
/** The reference, with what messages do with links and pictures. */
const components: Components = {
  a: ({ href, children }) => createElement(href ? 'a' : 'span', { href: href || undefined }, children),
  img: ({ src, alt }) => createElement('a', { href: src }, `image: ${alt}`),
};
const theirs = (text: string) =>
  bare(
    renderToStaticMarkup(
      createElement(Reference, { remarkPlugins: [remarkGfm], components, children: text }),
    ),
  );

const CASES = [
  '# On its way\n\nIt **left the warehouse** this morning.\n\n- [track it](https://example.com/4711)\n- plain',
  'a\nb  \nc\\\nd',
  '*a* _b_ **c** __d__ ***e*** ~~f~~ `g` ``h ` i``',
  '**bold *and em* bold** and *em **strong***',
  'snake_case_name and 2 * 3 * 4 and a*b*c',
  '**Note:** text, **"quoted"** and **5%**.',
  '**/path/**and, **bold**text',
  '*open and **closed** and not',
  '\\*not\\* \\# \\[x\\] &amp; &lt; &#65; &#x42; &nope; AT&T',
  '[a *b*](https://x.example "title") [c](<https://x.example/a b>) [d]() [e](/path(1)) [f](x y)',
  '![picture][ref] and [ref] and [Words][REF] and [none]\n\n[ref]: https://x.example/r "t"',
  '[outer [inner](https://i.example) text](https://o.example)',
  '<https://auto.example/x> and <me@example.com> and <not a link>',
  'See https://x.example/a_b_c?d=e&f=g, (https://y.example/z) or www.z.example.',
  '**https://bold.example/x** and me@example.com!',
  'Title\n=====\n\nSub\n---\n\ntext\n***\n- - -',
  '## closed ##\n#not\n#\n### a # b',
  '```js\nconst a = "<b>";\n\n  indented\n```\nafter',
  '~~~\n```\n~~~\n\n```\nnever closed',
  '    indented code\n\n    more\n\ntext\n    not code',
  '> quote\nlazy\n> > deeper\n\n> other\n\n> ```\n> code\n> ```\nout',
  '- a\n- b\n  - c\n    - d\n- e\n\n1. one\n2. two\n   more\n\n   para\n3. three',
  '- a\n\n- b\n\n  c\n- d',
  '* a\n+ b\n- c\n1) d\n1. e',
  '3. three\n4. four',
  '- [ ] open\n- [x] done\n- [X] done too\n- [y] none',
  '- [ ] open\n\n- [x] done',
  'text\n- list\n\ntext\n2. no list\ntext\n1. list',
  '1. step:\n   ```sh\n   npm start\n   ```\n2. next\n\n   > quote',
  '-\n- a\n-   b\n-     code?',
  '- a\n  lazy\nlazy too\n\nout',
  '| a | b |\n|---|:-:|\n| 1 | `x \\| y` |\n| only |\n| 3 | 4 | 5 |\n\nafter',
  'a | b\n-: | :-\n1 | **2**\nnot a row? | yes',
  'text\n| a |\n| - |\n| 1 |\n> quote',
  '| a | b |\n| - |\n| 1 | 2 |',
  'a\n\n---\n\nb',
  '- a\n---\n- b',
  '\tcode by tab\n\n-\ta\n\n\tb',
  'Emoji 👍**bold**👍 and “**quoted**” 中文**强调**中文',
  'x~y~z ~5 to ~10 and ~~~not~~~',
  'a `b\nc` d `` ` ``',
  '*a _b* c_',
  '**a*b**c*',
  '****four**** *** a',
  'line  \n  next',
  '1. a\n   - b\n\n     c\n2. d',
];

describe('markdown of messages', () => {
  it.each(CASES)('reads %j as CommonMark and GFM do', (text) => {
    expect(ours(text)).toBe(theirs(text));
  });

  it('reads the documents of the product as the reference does', () => {
    // Raw HTML is words to both, and a block of its own to the reference.
    const withoutComments = (text: string) => text.replace(/<!--[^]*?-->/g, '');
    const root = join(dirname(fileURLToPath(import.meta.url)), '../../../../..');
    const differing = globSync('{README,AGENTS,docs/**/*}.md', { cwd: root })
      .filter((file) => existsSync(join(root, file)))
      .filter((file) => {
        const text = withoutComments(readFileSync(join(root, file), 'utf8'));
        return ours(text) !== theirs(text);
      });
    expect(differing).toEqual([]);
  });

  it('keeps raw HTML as words and takes out what a link could run', () => {
    const html = shown(
      '<img src=x onerror="a()"><script>b()</script>\n\n<div>**bold**</div>\n\n[a](javascript:alert(1)) ' +
        '[b](JaVaScRiPt:x) [c](data:text/html,x) [d](vbscript:x) [e](<java\tscript:x>) [f](&#106;avascript:x) ' +
        '<javascript:x> ![g](javascript:x) [h][r]\n\n[r]: javascript:x',
    );
    expect(html).not.toMatch(/<(?!\/?(?:p|strong|span)>)/);
    expect(html).toContain('&lt;img src=x');
  });

  it('shows an embedded picture and links to any other', () => {
    expect(shown('![dot](data:image/png;base64,AAAA)')).toContain('<img src="data:image/png;base64,AAAA"');
    expect(shown('![dot](data:image/svg+xml;base64,AAAA)')).not.toContain('<img');
    expect(shown('![x](https://evil.example/x.png)')).toMatch(
      /^<p><a href="https:\/\/evil\.example\/x\.png"/,
    );
  });

  const MARKS = [
    '*',
    '**',
    '_',
    '~~',
    '`',
    '[',
    ']',
    '(',
    ')',
    '![',
    '<',
    '>',
    '\n',
    '\n\n',
    '- ',
    '1. ',
    '> ',
    '#',
    '|',
    '---',
    '```',
    '    ',
    '\\',
    '&',
    'a',
    'b c',
    'https://x.example',
    ':',
    '\t',
    '=',
    'javascript:',
  ];
  const marked = fc.array(fc.constantFrom(...MARKS), { maxLength: 60 }).map((parts) => parts.join(''));

  it('makes only elements and targets that are harmless, of any text', () => {
    const allowed =
      /^<\/?(?:p|em|strong|del|code|pre|br|hr|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|span|a|img)\b/;
    fc.assert(
      fc.property(fc.oneof(marked, fc.string({ maxLength: 200 })), (text) => {
        const html = shown(text);
        for (const [tag] of html.matchAll(/<[^>]*>/g)) {
          expect(tag).toMatch(allowed);
          const href = / href="([^"]*)"/.exec(tag)?.[1] ?? '';
          expect(href).not.toMatch(/^\s*(?:javascript|data|vbscript):/i);
        }
      }),
    );
  });

  it('loses no word of any text', () => {
    // Marks go, words stay, in their order.
    fc.assert(
      fc.property(
        fc.array(
          fc.tuple(
            fc.constantFrom('*', '**', '- ', '> ', '\n', '\n\n', '`', '# ', ' '),
            fc.integer({ min: 100, max: 999 }),
          ),
          { maxLength: 40 },
        ),
        (parts) => {
          const text = parts.map(([mark, word]) => `${mark}w${word}`).join('');
          const said = shown(text).replace(/<[^>]*>/g, '');
          expect(said.match(/w\d{3}/g) ?? []).toEqual(text.match(/w\d{3}/g) ?? []);
        },
      ),
    );
  });

  it.each([
    ['asterisks', '*a '.repeat(5_000)],
    ['runs', `${'*'.repeat(7_000)}a${'*'.repeat(7_000)}`],
    ['mixed emphasis', '*a **b _c ~~d '.repeat(1_000)],
    ['closers', `${'_a '.repeat(3_000)}${'b* '.repeat(3_000)}`],
    ['brackets', '['.repeat(14_000)],
    ['links', '[a]('.repeat(3_500)],
    ['titles', '[a](b "'.repeat(2_000)],
    ['pictures', `${'!['.repeat(4_000)}${'](x)'.repeat(4_000)}`],
    ['quotes', '>'.repeat(14_000)],
    ['items', '- '.repeat(7_000)],
    ['deep items', Array.from({ length: 160 }, (_, at) => `${' '.repeat(at * 2)}- a`).join('\n')],
    ['backticks', Array.from({ length: 160 }, (_, at) => '`'.repeat(at + 1)).join(' ')],
    ['pointed', '<a:'.repeat(4_000)],
    ['hashes', `# ${'#'.repeat(14_000)}x`],
    ['bars', `${'|'.repeat(7_000)}\n${'|-'.repeat(3_500)}`],
    ['spaces', `a${' '.repeat(14_000)}b\n`.repeat(2)],
    ['mails', 'a.'.repeat(7_000)],
    ['addresses', 'https://x.example/'.repeat(800)],
    ['parentheses', `https://x.example/${')'.repeat(14_000)}`],
  ])('takes no time for many %s', (_, text) => {
    const began = performance.now();
    shown(text);
    expect(performance.now() - began).toBeLessThan(2_000);
  });
});
