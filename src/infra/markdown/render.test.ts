import { describe, expect, test } from 'vitest'
import { renderMarkdown } from './index.ts'

/** The tags of the HTML with their attributes, the only parts that could run or load anything. */
const tagsOf = (html: string) => [...html.matchAll(/<[^>]*>/g)].map(([tag]) => tag)

describe('a text', () => {
  test('is rendered', () => {
    expect(renderMarkdown('# Title\n\nSome *text*, ~~gone~~.\n\n- a\n- b\n')).toBe(
      '<h1 id="user-content-title">Title</h1>\n<p>Some <em>text</em>, <s>gone</s>.</p>\n<ul>\n<li>a</li>\n<li>b</li>\n</ul>\n',
    )
    expect(renderMarkdown('| a |\n|---|\n| b |')).toContain('<table>')
    expect(renderMarkdown('```js\nlet a = "<b>"\n```')).toBe(
      '<pre><code class="language-js">let a = &quot;&lt;b&gt;&quot;\n</code></pre>\n',
    )
    expect(renderMarkdown('')).toBe('')
  })

  test('has links without a referrer', () => {
    const rel = 'rel="nofollow noreferrer noopener"'
    expect(renderMarkdown('[a](https://a.example "t")')).toBe(
      `<p><a href="https://a.example" title="t" ${rel}>a</a></p>\n`,
    )
    expect(renderMarkdown('see http://b.example/x')).toContain(`<a href="http://b.example/x" ${rel}>`)
    expect(renderMarkdown('[a](../x) [b](#c) <m@example.com>')).toContain(`<a href="mailto:m@example.com" ${rel}>`)
    expect(renderMarkdown('![a](https://a.example/a.png)')).toContain('<img src="https://a.example/a.png" alt="a">')
  })
})

test('links and images may be led elsewhere', () => {
  const resolve = (url: string) => (url.startsWith('/up/') ? `/there${url}` : url)
  const html = renderMarkdown('[a](/up/ü) ![b](/up/b.png) [c](/down) <https://a.example/up/>\n\n[r]\n\n[r]: /up/r', {
    resolve,
  })
  const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address]) => address)
  expect(addresses).toEqual(['/there/up/%C3%BC', '/there/up/b.png', '/down', 'https://a.example/up/', '/there/up/r'])
})

test('checklist items have a mark of the caller, with their line', () => {
  const task = ({ line, isDone }: { line: number; isDone: boolean }) => `<i data-line="${line}">${isDone}</i>`
  const html = renderMarkdown('text\n\n- [ ] *one*\n  - [X] two\n- [y] three\n- [ ]\n\n[ ] no item', { task })
  expect(html.match(/<i[^>]*>\w+<\/i>[^<]*/g)).toEqual(['<i data-line="3">false</i>', '<i data-line="4">true</i>two'])
  expect(html).toContain('<li>[y] three</li>')
  expect(renderMarkdown('- [ ] one')).toBe('<ul>\n<li>[ ] one</li>\n</ul>\n')
})

test('references become links where the caller says so, but for those in links and in code', () => {
  const reference = (text: string) => (text === '#9' ? null : { href: `/to?${text}` })
  const linksIn = (text: string) =>
    [...renderMarkdown(text, { reference }).matchAll(/href="\/to\?([^"]*)"[^>]*>([^<]*)</g)].map(([, , shown]) => shown)
  expect(linksIn('See #1, !2 and (&3); a/b-c#4 by @user.name. #9')).toEqual([
    '#1',
    '!2',
    '&amp;3',
    'a/b-c#4',
    '@user.name',
  ])
  expect(linksIn('`#1` [#2](/x) https://h.example/#3 a@b.example x#4')).toEqual([])
  expect(renderMarkdown('a "#1"', { reference: () => ({ href: '"><script>' }) })).toContain(
    'href="&quot;&gt;&lt;script&gt;"',
  )
})

describe('a hostile text', () => {
  test('has its HTML escaped', () => {
    for (const text of [
      '<script>alert(1)</script>',
      '<img src=x onerror=alert(1)>',
      'a <b onclick="x">b</b>',
      '<!-- --><svg/onload=alert(1)>',
      '<a href="javascript:alert(1)">a</a>',
      '<style>*{}</style>',
      '<iframe src="evil"></iframe>',
      '<?php ?>',
      '<![CDATA[<script>]]>',
      '```"><script>alert(1)</script>\na\n```',
      '`<script>`',
      '| <script> |\n|---|\n| <img src=x onerror=y> |',
    ]) {
      const html = renderMarkdown(text)
      for (const tag of tagsOf(html)) {
        expect(tag).toMatch(/^<\/?(?:p|code|pre|table|thead|tbody|tr|th|td)(?: class="language-[^"<>]*")?>$/)
      }
    }
  })

  test('has no links with other schemes', () => {
    for (const url of [
      'javascript:alert(1)',
      'JaVaScRiPt:alert(1)',
      'java&#115;cript:alert(1)',
      '&#x6a;avascript:alert(1)',
      'java%0ascript:alert(1)',
      '<java\tscript:alert(1)>',
      '<  javascript:alert(1)>',
      '\u0001javascript:alert(1)',
      'vbscript:x',
      'data:text/html,<script>alert(1)</script>',
      'data:text/html;base64,PHNjcmlwdD4=',
      'file:///etc/passwd',
      'blob:https://a.example/x',
      'view-source:https://a.example',
      'intent://x',
    ]) {
      for (const text of [`[a](${url})`, `![a](${url})`, `<${url}>`, `[a]: ${url}\n\n[a]`]) {
        const html = renderMarkdown(text)
        const addresses = [...html.matchAll(/(?:href|src)="([^"]*)"/g)].map(([, address = '']) => address)
        for (const address of addresses) {
          expect([text, decodeURIComponent(address)]).toEqual([
            text,
            expect.not.stringMatching(/^[^/?#]*(?:script|data|file|blob|source|intent):/i),
          ])
        }
      }
    }
    expect(renderMarkdown('![a](data:image/png;base64,AA)')).not.toContain('<img')
    expect(renderMarkdown('![a](mailto:m@example.com)')).toBe('<p>a</p>\n')
  })

  test('cannot leave an attribute', () => {
    const html = renderMarkdown(
      '[a](https://a.example/"onmouseover="x) ![a"onerror="x](https://b.example "t\\"onload=\\"x")',
    )
    for (const tag of tagsOf(html)) expect(tag).not.toMatch(/\s(?:onmouseover|onerror|onload)=/)
  })

  test('is escaped when it is too long to be rendered', () => {
    const paragraph = '*a* <b> '.repeat(2_000)
    expect(renderMarkdown(`${paragraph}\n\n*b*`)).toMatch(/^<p>\*a\* &lt;b&gt; .*<p><em>b<\/em><\/p>\n$/s)
    const long = '*a* <b>\n\n'.repeat(20_000)
    expect(renderMarkdown(long)).toBe(
      `<pre><code>${long.replaceAll('<', '&lt;').replaceAll('>', '&gt;')}</code></pre>\n`,
    )
  })

  test('has a limited nesting depth', () => {
    const html = renderMarkdown(`${'>'.repeat(10_000)} a`)
    expect(tagsOf(html).filter((tag) => tag === '<blockquote>').length).toBeLessThanOrEqual(20)
  })
})

describe('a text that is not plain', () => {
  test('has ids of headings that differ, and links within it that lead to them', () => {
    const html = renderMarkdown('# A *b* c!\n## a b c\n[x](#a-b-c)\n# !\n# Ünï 1', { idPrefix: 'p-' })
    expect([...html.matchAll(/id="([^"]*)"/g)].map(([, id]) => id)).toEqual([
      'p-a-b-c',
      'p-a-b-c-1',
      'p-section',
      'p-ünï-1',
    ])
    expect(html).toContain('<a href="#p-a-b-c"')
    const hostile = renderMarkdown('# "><script> `"onload="x`')
    expect(hostile).toContain('<h1 id="user-content-script-onloadx">')
  })

  test('has a table of contents where it asks for one, once', () => {
    const html = renderMarkdown('[[_TOC_]]\n\n# One\n### Deep <b>\n## Two\n# Last\n\n[TOC]')
    const item = (id: string, text: string) => `<li><a href="#user-content-${id}">${text}</a>`
    const below = `<ul>${item('deep-b', 'Deep &lt;b&gt;')}</li></ul>`
    expect(html).toMatch(/^<ul><li>/)
    expect(html.split('\n')[0]).toBe(
      `<ul>${item('one', 'One')}${below.replace('</ul>', '</ul>')}<ul>${item('two', 'Two')}</li></ul></li>${item('last', 'Last')}</li></ul>`,
    )
    expect(html).not.toContain('TOC')
    expect(renderMarkdown('`[[_TOC_]]` [TOC] a')).toBe('<p><code>[[_TOC_]]</code> [TOC] a</p>\n')
  })

  test('has emoji by their names, but for unknown ones and faces of punctuation', () => {
    expect(renderMarkdown(':tada: :no_such: `:tada:` :) :-D 12:30:45')).toBe(
      '<p>🎉 :no_such: <code>:tada:</code> :) :-D 12:30:45</p>\n',
    )
  })

  test('has formulas as code with their style', () => {
    const inline = (text: string) => `<code class="code math" data-math-style="inline">${text}</code>`
    expect(renderMarkdown('$`a<b`$ and $x_1*y*z$, $$a\n+b$$')).toBe(
      `<p>${inline('a&lt;b')} and ${inline('x_1*y*z')}, <code class="code math" data-math-style="display">a\n+b</code></p>\n`,
    )
    expect(renderMarkdown('costs $5 and $6, $ a $, \\$a$')).toBe('<p>costs $5 and $6, $ a $, $a$</p>\n')
  })

  test('has data before it as code', () => {
    expect(renderMarkdown('---\ntitle: <b>\n---\n# T')).toBe(
      '<pre><code class="language-yaml">title: &lt;b&gt;\n</code></pre>\n<h1 id="user-content-t">T</h1>\n',
    )
    expect(renderMarkdown('+++\na = 1\n+++')).toBe('<pre><code class="language-toml">a = 1\n</code></pre>\n')
    expect(renderMarkdown('---\ntitle: a')).toContain('<hr>')
    expect(renderMarkdown('a\n\n---\n\nb\n\n---')).toContain('<hr>\n<p>b</p>')
    expect(renderMarkdown('> ---\n> a\n> ---')).not.toContain('language-yaml')
  })

  test('has a patch of colour behind a colour in code, and no style', () => {
    for (const colour of ['#f00', '#ff000080', 'rgb(1, 2, 3)', 'hsl(10, 20%, 30%)']) {
      expect(renderMarkdown(`\`${colour}\``)).toContain(`fill="${colour}"/></svg></code>`)
    }
    for (const text of ['#f', 'red', 'rgb(url(x))', '#fff"/><script>']) {
      expect(renderMarkdown(`\`${text}\``)).not.toContain('<svg')
    }
  })

  test('has footnotes with ids of its own', () => {
    const html = renderMarkdown('a[^1] b[^1] c[^none]\n\n[^1]: <b> note', { idPrefix: 'n-' })
    expect([...html.matchAll(/(?:id|href)="([^"]*)"/g)].map(([, value]) => value)).toEqual([
      ...['#n-fn1', 'n-fnref1', '#n-fn1', 'n-fnref1:1', 'n-fn1', '#n-fnref1', '#n-fnref1:1'],
    ])
    expect(html).toContain('c[^none]')
    expect(html).not.toContain('<b>')
    expect(renderMarkdown('a[^__proto__]\n\n[^__proto__]: x\n\n[^constructor]: y')).toContain('footnote')
  })

  test('is plain where that is asked for, with footnotes', () => {
    const html = renderMarkdown('# :tada: $a$ `#fff` [x](#y)\n\n[TOC]\n\na[^1]\n\n[^1]: b', { isPlain: true })
    expect(html).toContain('<h1>:tada: $a$ <code>#fff</code> <a href="#y"')
    expect(html).toContain('<p>[TOC]</p>')
    expect(html).toContain('href="#user-content-fn1"')
  })

  test('takes time that grows with its length alone', () => {
    for (const part of [
      '$',
      '$`',
      '$$a',
      '[^',
      '[^1]',
      ':a',
      '~"',
      '%',
      '# a\n',
      '[TOC]\n\n# a\n',
      '`#fff` ',
      'abcdef0',
    ]) {
      const text = part.repeat(Math.floor(8_000 / part.length))
      expect(renderMarkdown(text, { reference: () => null }).length).toBeGreaterThan(0)
    }
  })
})
