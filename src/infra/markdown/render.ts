import { createRequire } from 'node:module'
import type { MarkdownIt, MarkdownItOptions } from 'markdown-it'

/** Longer texts are shown as they were written: nobody reads them, and laying them out would hold up everybody else. */
const longestText = 65_536
/** The same for a single paragraph, in which what is emphasised or linked is looked for back and forth. */
const longestParagraph = 8_192
const deepestNesting = 20

/** Addresses that a link may lead to, and that a picture may come from; those without a scheme stay on this server. */
const linkSchemes = new Set(['http', 'https', 'ftp', 'mailto'])
const imageSchemes = new Set(['http', 'https'])

/** The scheme of an address as a browser would find it, which skips blanks and control characters; null when it has none. */
function schemeOf(url: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: they are what a browser skips
  const seen = url.replace(/[\u0000-\u0020\u007f]/g, '')
  return /^([^/?#:]*):/.exec(seen)?.[1]?.toLowerCase() ?? null
}

function isAmong(schemes: ReadonlySet<string>, url: string): boolean {
  const scheme = schemeOf(url)
  return scheme === null || schemes.has(scheme)
}

function configure(markdown: MarkdownIt): MarkdownIt {
  markdown.validateLink = (url) => isAmong(linkSchemes, url)
  markdown.renderer.rules.link_open = (tokens, index, options, _env, self) => {
    tokens[index]?.attrSet('rel', 'nofollow noreferrer noopener')
    return self.renderToken(tokens, index, options)
  }
  const image = markdown.renderer.rules.image
  markdown.renderer.rules.image = (tokens, index, options, env, self) => {
    const token = tokens[index]
    if (!token || !image) return ''
    const isShown = isAmong(imageSchemes, String(token.attrGet('src') ?? ''))
    return isShown ? image(tokens, index, options, env, self) : markdown.utils.escapeHtml(token.content)
  }
  markdown.core.ruler.at('inline', (state) => {
    for (const token of state.tokens) {
      if (token.type !== 'inline') continue
      token.children = []
      if (token.content.length <= longestParagraph) {
        markdown.inline.parse(token.content, markdown, state.env, token.children)
      } else token.children.push(Object.assign(new state.Token('text', '', 0), { content: token.content }))
    }
  })
  return markdown
}

let made: MarkdownIt | undefined

/** Made when it is first used: a server that shows no descriptions does without it. */
function renderer(): MarkdownIt {
  if (!made) {
    const load = createRequire(import.meta.url)('markdown-it') as (options: MarkdownItOptions) => MarkdownIt
    made = configure(load({ html: false, linkify: true, maxNesting: deepestNesting }))
  }
  return made
}

/**
 * The HTML of a text in CommonMark, with tables, strike-through and bare addresses as links. HTML in the text is shown as
 * text; links and pictures lead nowhere but to the web, and links tell the other side nothing of where they stand.
 *
 * It takes a bounded time whatever the text: what is too long to be laid out comes as it was written.
 */
export function renderMarkdown(text: string): string {
  const markdown = renderer()
  if (text.length > longestText) return `<pre><code>${markdown.utils.escapeHtml(text)}</code></pre>\n`
  return markdown.render(text)
}
