import { createElement } from 'react';
import { renderToStaticMarkup } from 'react-dom/server';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import SafeMarkdown from '../../ui/markdown.tsx';
import { tokensOf } from './tokens.ts';

const shown = (text: string): string =>
  renderToStaticMarkup(createElement(SafeMarkdown, { text })).replace(
    /^<div class="prose-message">|<\/div>$/g,
    '',
  );
const APART = ' target="_blank" rel="noopener noreferrer nofollow"';
const plain = (text: string): string =>
  renderToStaticMarkup(createElement('p', { className: 'whitespace-pre-wrap' }, text));

/** As micromark with GFM reads them, but for classes, headings, boxes of tasks and pictures. */
const CASES: readonly (readonly [text: string, html: string])[] = [
  [
    '# On its way\n\nIt **left the warehouse** this morning.\n\n- [track it](https://example.com/4711)\n- plain',
    '<p class="mt-3 text-lg font-semibold">On its way</p><p>It <strong>left the warehouse</strong> this morning.</p><ul><li><a href="https://example.com/4711">track it</a></li><li>plain</li></ul>',
  ],
  ['Error: no\n    at a (f:1)\n\tat b', '<p>Error: no\n    at a (f:1)\n\tat b</p>'],
  ['a\nb  \nc\\\nd', '<p>a\nb<br/>c<br/>d</p>'],
  [
    '*a* _b_ **c** __d__ ***e*** ~~f~~ `g` ``h ` i``',
    '<p><em>a</em> <em>b</em> <strong>c</strong> <strong>d</strong> <em><strong>e</strong></em> <del>f</del> <code>g</code> <code>h ` i</code></p>',
  ],
  [
    '**bold *and em* bold** and *em **strong***',
    '<p><strong>bold <em>and em</em> bold</strong> and <em>em <strong>strong</strong></em></p>',
  ],
  ['snake_case_name and 2 * 3 * 4 and a*b*c', '<p>snake_case_name and 2 * 3 * 4 and a<em>b</em>c</p>'],
  [
    '**Note:** text, **"quoted"** and **5%**.',
    '<p><strong>Note:</strong> text, <strong>&quot;quoted&quot;</strong> and <strong>5%</strong>.</p>',
  ],
  ['**/path/**and, **bold**text', '<p>**/path/**and, <strong>bold</strong>text</p>'],
  ['*open and **closed** and not', '<p>*open and <strong>closed</strong> and not</p>'],
  [
    '\\*not\\* \\# \\[x\\] &amp; &lt; &#65; &#x42; &nope; AT&T',
    '<p>*not* # [x] &amp; &lt; A B &amp;nope; AT&amp;T</p>',
  ],
  [
    '[a *b*](https://x.example "title") [c](<https://x.example/a b>) [d]() [e](/path(1)) [f](x y)',
    '<p><a href="https://x.example">a <em>b</em></a> <a href="https://x.example/a b">c</a> <span>d</span> <a href="/path(1)">e</a> [f](x y)</p>',
  ],
  [
    '![picture][ref] and [ref] and [Words][REF] and [none]\n\n[ref]: https://x.example/r "t"',
    '<p><a href="https://x.example/r">image: picture</a> and <a href="https://x.example/r">ref</a> and <a href="https://x.example/r">Words</a> and [none]</p>',
  ],
  [
    '[outer [inner](https://i.example) text](https://o.example)',
    '<p>[outer <a href="https://i.example">inner</a> text](<a href="https://o.example">https://o.example</a>)</p>',
  ],
  [
    '<https://auto.example/x> and <me@example.com> and <not a link>',
    '<p><a href="https://auto.example/x">https://auto.example/x</a> and <a href="mailto:me@example.com">me@example.com</a> and &lt;not a link&gt;</p>',
  ],
  [
    'See https://x.example/a_b_c?d=e&f=g, (https://y.example/z) or www.z.example.',
    '<p>See <a href="https://x.example/a_b_c?d=e&amp;f=g">https://x.example/a_b_c?d=e&amp;f=g</a>, (<a href="https://y.example/z">https://y.example/z</a>) or <a href="http://www.z.example">www.z.example</a>.</p>',
  ],
  [
    '**https://bold.example/x** and me@example.com!',
    '<p><strong><a href="https://bold.example/x">https://bold.example/x</a></strong> and <a href="mailto:me@example.com">me@example.com</a>!</p>',
  ],
  [
    'Title\n=====\n\nSub\n---\n\ntext\n***\n- - -',
    '<p class="mt-3 text-lg font-semibold">Title</p><p class="mt-3 font-semibold">Sub</p><p>text</p><hr/><hr/>',
  ],
  [
    '## closed ##\n#not\n#\n### a # b',
    '<p class="mt-3 font-semibold">closed</p><p>#not</p><p class="mt-3 text-lg font-semibold"></p><p class="mt-3 font-semibold">a # b</p>',
  ],
  [
    '```js\nconst a = "<b>";\n\n  indented\n```\nafter',
    '<pre><code>const a = &quot;&lt;b&gt;&quot;;\n\n  indented</code></pre><p>after</p>',
  ],
  ['~~~\n```\n~~~\n\n```\nnever closed', '<pre><code>```</code></pre><pre><code>never closed</code></pre>'],
  [
    '    indented code\n\n    more\n\ntext\n    not code',
    '<pre><code>indented code\n\nmore</code></pre><p>text\n    not code</p>',
  ],
  [
    '> quote\nlazy\n> > deeper\n\n> other\n\n> ```\n> code\n> ```\nout',
    '<blockquote><p>quote\nlazy</p><blockquote><p>deeper</p></blockquote></blockquote><blockquote><p>other</p></blockquote><blockquote><pre><code>code</code></pre></blockquote><p>out</p>',
  ],
  [
    '- a\n- b\n  - c\n    - d\n- e\n\n1. one\n2. two\n   more\n\n   para\n3. three',
    '<ul><li>a</li><li>b<ul><li>c<ul><li>d</li></ul></li></ul></li><li>e</li></ul><ol><li><p>one</p></li><li><p>two\nmore</p><p>para</p></li><li><p>three</p></li></ol>',
  ],
  ['- a\n\n- b\n\n  c\n- d', '<ul><li><p>a</p></li><li><p>b</p><p>c</p></li><li><p>d</p></li></ul>'],
  [
    '* a\n+ b\n- c\n1) d\n1. e',
    '<ul><li>a</li></ul><ul><li>b</li></ul><ul><li>c</li></ul><ol><li>d</li></ol><ol><li>e</li></ol>',
  ],
  ['3. three\n4. four', '<ol start="3"><li>three</li><li>four</li></ol>'],
  [
    '- [ ] open\n- [x] done\n- [X] done too\n- [y] none',
    '<ul><li><span role="img" aria-label="open">☐ </span>open</li><li><span role="img" aria-label="done">☑ </span>done</li><li><span role="img" aria-label="done">☑ </span>done too</li><li>[y] none</li></ul>',
  ],
  [
    '- [ ] open\n\n- [x] done',
    '<ul><li><p><span role="img" aria-label="open">☐ </span>open</p></li><li><p><span role="img" aria-label="done">☑ </span>done</p></li></ul>',
  ],
  [
    'text\n- list\n\ntext\n2. no list\ntext\n1. list',
    '<p>text</p><ul><li>list</li></ul><p>text\n2. no list\ntext</p><ol><li>list</li></ol>',
  ],
  [
    '1. step:\n   ```sh\n   npm start\n   ```\n2. next\n\n   > quote',
    '<ol><li><p>step:</p><pre><code>npm start</code></pre></li><li><p>next</p><blockquote><p>quote</p></blockquote></li></ol>',
  ],
  [
    '-\n- a\n-   b\n-     code?',
    '<ul><li></li><li>a</li><li>b</li><li><pre><code>code?</code></pre></li></ul>',
  ],
  ['- a\n  lazy\nlazy too\n\nout', '<ul><li>a\nlazy\nlazy too</li></ul><p>out</p>'],
  [
    '| a | b |\n|---|:-:|\n| 1 | `x \\| y` |\n| only |\n| 3 | 4 | 5 |\n\nafter',
    '<table><thead><tr><th>a</th><th class="text-center!">b</th></tr></thead><tbody><tr><td>1</td><td class="text-center!"><code>x | y</code></td></tr><tr><td>only</td><td class="text-center!"></td></tr><tr><td>3</td><td class="text-center!">4</td></tr></tbody></table><p>after</p>',
  ],
  [
    'a | b\n-: | :-\n1 | **2**\nnot a row? | yes',
    '<table><thead><tr><th class="text-right!">a</th><th>b</th></tr></thead><tbody><tr><td class="text-right!">1</td><td><strong>2</strong></td></tr><tr><td class="text-right!">not a row?</td><td>yes</td></tr></tbody></table>',
  ],
  [
    'text\n| a |\n| - |\n| 1 |\n> quote',
    '<p>text</p><table><thead><tr><th>a</th></tr></thead><tbody><tr><td>1</td></tr></tbody></table><blockquote><p>quote</p></blockquote>',
  ],
  ['| a | b |\n| - |\n| 1 | 2 |', '<p>| a | b |\n| - |\n| 1 | 2 |</p>'],
  ['a\n\n---\n\nb', '<p>a</p><hr/><p>b</p>'],
  ['- a\n---\n- b', '<ul><li>a</li></ul><hr/><ul><li>b</li></ul>'],
  ['\tcode by tab\n\n-\ta\n\n\tb', '<pre><code>code by tab</code></pre><ul><li><p>a</p><p>b</p></li></ul>'],
  [
    'Emoji 👍**bold**👍 and “**quoted**” 中文**强调**中文',
    '<p>Emoji 👍<strong>bold</strong>👍 and “<strong>quoted</strong>” 中文<strong>强调</strong>中文</p>',
  ],
  ['x~y~z ~5 to ~10 and ~~~not~~~', '<p>x<del>y</del>z ~5 to ~10 and ~~~not~~~</p>'],
  ['a `b\nc` d `` ` ``', '<p>a <code>b c</code> d <code>`</code></p>'],
  ['*a _b* c_', '<p><em>a _b</em> c_</p>'],
  ['**a*b**c*', '<p><strong>a*b</strong>c*</p>'],
  ['****four**** *** a', '<p><strong><strong>four</strong></strong> *** a</p>'],
  ['line  \n  next', '<p>line<br/>next</p>'],
  ['1. a\n   - b\n\n     c\n2. d', '<ol><li>a<ul><li><p>b</p><p>c</p></li></ul></li><li>d</li></ol>'],
  [
    '&#65;&amp;lt; &#38;lt; AT&T &#38; &nope; &#39; &copy;',
    '<p>A&amp;lt; &amp;lt; AT&amp;T &amp; &amp;nope; &#x27; ©</p>',
  ],
  ['`&amp;` &amp;\n\n    &amp;', '<p><code>&amp;amp;</code> &amp;</p><pre><code>&amp;amp;</code></pre>'],
  ['[x](https://a.example/?b=1&amp;c=2)', '<p><a href="https://a.example/?b=1&amp;c=2">x</a></p>'],
  [
    '<https://a.example/?a=1&amp;b>',
    '<p><a href="https://a.example/?a=1&amp;amp;b">https://a.example/?a=1&amp;amp;b</a></p>',
  ],
  [
    '| a &amp; | `\\|` |\n|-|-|\n| &lt; | \\* |',
    '<table><thead><tr><th>a &amp;</th><th><code>|</code></th></tr></thead><tbody><tr><td>&lt;</td><td>*</td></tr></tbody></table>',
  ],
  [
    '- a\n\n  ```js\n  x\n  ```\n- [ ] t',
    '<ul><li><p>a</p><pre><code>x</code></pre></li><li><p><span role="img" aria-label="open">☐ </span>t</p></li></ul>',
  ],
  [
    'a<br>b **<i>y</i>** <a href="https://x.example">**go**</a>',
    '<p>a&lt;br&gt;b <strong>&lt;i&gt;y&lt;/i&gt;</strong> &lt;a href=&quot;https://x.example&quot;&gt;<strong>go</strong>&lt;/a&gt;</p>',
  ],
  ['![a &amp; *b* `c`](https://x.example)', '<p><a href="https://x.example">image: a &amp; b c</a></p>'],
  ['~~a **b**~~ ~c~', '<p><del>a <strong>b</strong></del> <del>c</del></p>'],
  ['a\0b', '<p>a�b</p>'],
  [
    '1. Summary of it:\n   > 3. third point\n   continues here\n\n# Rest **x**',
    '<ol><li>Summary of it:<blockquote><ol start="3"><li>third point\ncontinues here</li></ol></blockquote></li></ol><p class="mt-3 text-lg font-semibold">Rest <strong>x</strong></p>',
  ],
  ['- a\n  > 0) a\n  b', '<ul><li>a<blockquote><ol start="0"><li>a\nb</li></ol></blockquote></li></ul>'],
  [
    '[see <https://x.example> *now <me@x.example>*](https://y.example) <https://x.example>',
    '<p><a href="https://y.example">see <span>https://x.example</span> <em>now <span>me@x.example</span></em></a> <a href="https://x.example">https://x.example</a></p>',
  ],
  [
    '[![build](https://img.example/b.svg)](https://ci.example)',
    '<p><a href="https://ci.example"><span>image: build</span></a></p>',
  ],
  [
    '[![build](https://img.example/b.svg)](javascript:x)',
    '<p><span><a href="https://img.example/b.svg">image: build</a></span></p>',
  ],
];

describe('markdown of messages', () => {
  it.each(CASES)('reads %j as CommonMark and GFM do', (text, html) => {
    expect(shown(text).replaceAll(APART, '')).toBe(html);
  });

  it('opens links apart', () => {
    expect(shown('[a](/b)')).toBe(`<p><a href="/b"${APART}>a</a></p>`);
  });

  it('reads what stands between tags, and footnotes as words', () => {
    expect(shown('<context>\n- a\n- **b**\n\n</context>')).toBe(
      '<p>&lt;context&gt;</p><ul><li>a</li><li><strong>b</strong></li></ul><p>&lt;/context&gt;</p>',
    );
    expect(shown('<code>&amp; &#65;\n\n<a href="x">\n\nhttps://y.example')).toContain(
      'href="https://y.example"',
    );
    expect(shown('a[^1]\n\n[^1]: b')).toBe('<p>a[^1]</p><p>[^1]: b</p>');
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
    '<https://y.example>',
    '![a](b)',
    '](c)',
  ];
  const marked = fc.array(fc.constantFrom(...MARKS), { maxLength: 60 }).map((parts) => parts.join(''));

  it('makes only elements and targets that are harmless, of any text', () => {
    const allowed =
      /^<\/?(?:p|em|strong|del|code|pre|br|hr|ul|ol|li|blockquote|table|thead|tbody|tr|th|td|span|a|img)\b/;
    fc.assert(
      fc.property(fc.oneof(marked, fc.string({ maxLength: 200 })), (text) => {
        const html = shown(text);
        expect(html).not.toMatch(/<a\b(?:(?!<\/a>).)*<a\b/s);
        for (const [tag] of html.matchAll(/<[^>]*>/g)) {
          expect(tag).toMatch(allowed);
          const href = / href="([^"]*)"/.exec(tag)?.[1] ?? '';
          expect(href).not.toMatch(/^\s*(?:javascript|data|vbscript):/i);
        }
      }),
    );
  });

  it('reads every text that is not too long', () => {
    fc.assert(
      fc.property(marked, (text) => {
        expect(tokensOf(text)).toBeDefined();
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

  const MANY = 99_000;
  const many = (part: string, size = MANY) => part.repeat(size / part.length);

  it.each([
    ['asterisks', many('*')],
    ['openers', `${many('*a ')}a*`],
    ['mixed emphasis', many('*a **b _c ~~d ')],
    ['closers', many('_a ', MANY / 2) + many('b* ', MANY / 2)],
    ['pairs of openers and closers', many('*a ', MANY / 2) + many('b* ', MANY / 2)],
    ['runs', `${many('*', MANY / 2)}a${many('*', MANY / 2)}`],
    ['growing runs', many('**a*')],
    ['underlines in words', many('_a')],
    ['marks in words', many('*_a')],
    ['struck words', `${many('~~a ')}b~~`],
    ['brackets', many('[')],
    ['nested brackets', many('[', MANY / 2) + many(']', MANY / 2)],
    ['escaped brackets', many('\\[')],
    ['links', many('[a](')],
    ['links that end once', `${many('[a](b')})`],
    ['titles', `${many('[a](b "')})`],
    ['references', `[a]: b\n\n${many('[a][')}`],
    ['definitions', many('[a]: b\n')],
    ['pictures', many('![', MANY / 2) + many('](x)', MANY / 2)],
    ['quotes', many('>')],
    ['lazy quotes', many('> a\nb\n')],
    ['lists in lazy quotes', many('> - a\nb\n')],
    ['lists with lazy lines in a quote', many('> - a\n> - b\nc\n')],
    ['quotes with lazy lines in a quote', many('> > a\nb\n')],
    ['lists in lazy quotes of an item', `- x\n${many('  > - a\n  b\n')}`],
    ['items', `${many('- ')}a`],
    [
      'deep items',
      Array.from({ length: 2_000 }, (_, at) => `${' '.repeat(at)}- a`)
        .join('\n')
        .slice(0, MANY),
    ],
    ['deeper items', Array.from({ length: 300 }, (_, at) => `${' '.repeat(at * 2)}- a`).join('\n')],
    ['loose items', many('1. a\n\n   b\n')],
    ['backticks', many('`')],
    ['growing backticks', Array.from({ length: 440 }, (_, at) => '`'.repeat(at + 1)).join(' ')],
    ['fences', many('```a\n')],
    ['pointed', many('<a:')],
    ['comments', many('<!--')],
    ['tags', many('<p\n')],
    ['attributes', many('<a b=c ')],
    ['hashes', `# ${many('#')}x`],
    ['bars', `${many('|', MANY / 2)}\n${many('|-', MANY / 2)}`],
    ['rows', `|a|b|\n|-|-|\n${many('|a|b|\n')}`],
    ['rows without a table', many('|a|b\n')],
    ['spaces', `a${many(' ', MANY / 2)}b\n`.repeat(2)],
    ['mails', many('a.')],
    ['mails with hosts', many('a@b.')],
    ['addresses', many('https://x.example/')],
    ['parentheses', `https://x.example/${many(')')}`],
  ])('reads many %s within the time of a test', (_, text) => {
    expect(tokensOf(text)).toBeDefined();
    expect(() => shown(text)).not.toThrow();
  });

  it('reads every list of a long change log', () => {
    const log = many('## 1.0\n\n- a\n\n');
    expect(shown(log).match(/<ul>/g)).toHaveLength(log.match(/- a/g)?.length ?? 0);
  });

  it('ends a quote at a lazy line that it may no longer be read anew for', () => {
    const html = shown(`> - x\n${many('>   > - a\n>   b\n', 80_000)}lazy\n\n**d**`);
    expect(html).toContain('</blockquote><p>lazy</p><p><strong>d</strong></p>');
  });

  it('shows what is too long as it is', () => {
    const long = '**a** '.repeat(20_000);
    expect(shown(long)).toBe(plain(long));
  });

  it('reads what nests too deep as words', () => {
    const quotes = shown(`${'> '.repeat(40)}a`);
    expect(quotes.match(/<blockquote>/g)).toHaveLength(16);
    expect(quotes).toContain(`${'&gt; '.repeat(24)}a`);
    const marks = Array.from({ length: 40 }, (_, at) => (at % 2 === 0 ? '*' : '_')).join('a ');
    expect((shown(`${marks}b`).match(/<em>/g) ?? []).length).toBeLessThanOrEqual(24);
  });

  it('goes on after a mark that never ends, and links a long address', () => {
    expect(shown(`${'*a '.repeat(500)}\n\n**b**`)).toContain('<strong>b</strong>');
    const long = `https://x.example/${'a'.repeat(3_981)}`;
    const mail = `me@x.${'a'.repeat(394)}`;
    for (const text of [`${long}.${'b'.repeat(200)}`, `${long}aa`, `${mail}.bb`, `${mail}aaaa`])
      expect(shown(text)).toBe(`<p>${text}</p>`);
    for (const text of [`${long}. ${'b'.repeat(200)}`, `${long}a b`, `${mail}. bb`, `${mail}, bb`])
      expect(shown(text)).toContain('</a>');
    const address = `https://x.example/${'a'.repeat(2_000)}`;
    expect(shown(`${'word '.repeat(300)}${address} me@x.example`)).toMatch(
      /a<\/a> <a href="mailto:me@x\.example"/,
    );
  });
});
