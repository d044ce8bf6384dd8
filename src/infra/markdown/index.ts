/** Renders Markdown to safe HTML, or to plain text. */
import { createRequire } from 'node:module'
import type { MarkdownIt, MarkdownItOptions, Token } from 'markdown-it'
import { addIssueRules, type RenderOptions } from './tasks-and-references.ts'

export type { RenderOptions, Task } from './tasks-and-references.ts'

/** Longer texts, in characters, are not rendered: that would block the event loop for too long. */
const longestText = 65_536
/** Longer paragraphs are not rendered: the time for emphasis and links is quadratic in their length. */
const longestParagraph = 8_192
const deepestNesting = 20

/** Allowed schemes of links and images. URLs without a scheme are relative to this server. */
const linkSchemes = new Set(['http', 'https', 'ftp', 'mailto'])
const imageSchemes = new Set(['http', 'https'])

/** The scheme of a URL as browsers see it, ignoring white space and control characters; null when it has none. */
function schemeOf(url: string): string | null {
  // biome-ignore lint/suspicious/noControlCharactersInRegex: browsers ignore them
  const normalized = url.replace(/[\u0000-\u0020\u007f]/g, '')
  return /^([^/?#:]*):/.exec(normalized)?.[1]?.toLowerCase() ?? null
}

function hasAllowedScheme(schemes: ReadonlySet<string>, url: string): boolean {
  const scheme = schemeOf(url)
  return scheme === null || schemes.has(scheme)
}

/** Whether an address of a text is on the server at a URL. */
function leadsTo(address: string, server: string): boolean {
  const base = URL.canParse(server) ? new URL(server) : null
  return base !== null && URL.canParse(address, server) && new URL(address, base).host === base.host
}

function resolveAttribute(token: Token | undefined, name: string, env: unknown): void {
  const { resolve } = (env ?? {}) as RenderOptions
  const url = token?.attrGet(name)
  if (resolve && url) token?.attrSet(name, resolve(String(url)))
}

function configure(markdown: MarkdownIt): MarkdownIt {
  markdown.validateLink = (url) => hasAllowedScheme(linkSchemes, url)
  markdown.renderer.rules.link_open = (tokens, index, options, env, self) => {
    const token = tokens[index]
    resolveAttribute(token, 'href', env)
    const { ownUrl } = (env ?? {}) as RenderOptions
    const isOwn = ownUrl !== undefined && leadsTo(String(token?.attrGet('href') ?? ''), ownUrl)
    if (!isOwn) token?.attrSet('rel', 'nofollow noreferrer noopener')
    if (!isOwn && ownUrl !== undefined) token?.attrSet('target', '_blank')
    return self.renderToken(tokens, index, options)
  }
  const image = markdown.renderer.rules.image
  markdown.renderer.rules.image = (tokens, index, options, env, self) => {
    const token = tokens[index]
    if (!token || !image) return ''
    resolveAttribute(token, 'src', env)
    const isShown = hasAllowedScheme(imageSchemes, String(token.attrGet('src') ?? ''))
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

let instance: MarkdownIt | undefined

/** Loads the package on first use. */
function renderer(): MarkdownIt {
  if (!instance) {
    const load = createRequire(import.meta.url)('markdown-it') as (options: MarkdownItOptions) => MarkdownIt
    instance = configure(load({ html: false, linkify: true, maxNesting: deepestNesting }))
    addIssueRules(instance)
  }
  return instance
}

/**
 * Renders CommonMark with tables, strike-through and automatic links to HTML. HTML in the text is escaped. Links and images may
 * only have schemes of the web; links do not send a referrer.
 *
 * The time is bounded: texts and paragraphs that are too long are escaped instead of rendered.
 */
export function renderMarkdown(text: string, options: RenderOptions = {}): string {
  const markdown = renderer()
  if (text.length > longestText) return `<pre><code>${markdown.utils.escapeHtml(text)}</code></pre>\n`
  return markdown.render(text, options)
}

/** The text of Markdown without its marks; one line per block, line breaks of the source kept. */
export function markdownToText(text: string): string {
  if (text.length > longestText) return text
  const blocks = renderer()
    .parse(text, {})
    .map(({ type, content, children }) => {
      if (type !== 'inline') return type === 'fence' || type === 'code_block' ? content.trimEnd() : null
      return (children ?? []).map((token) => (token.type.endsWith('break') ? '\n' : token.content)).join('')
    })
  return blocks.filter((block) => block !== null).join('\n')
}

const entities: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;', "'": '&#39;' }

/** A text as it is written in HTML, between tags or inside of quotes. */
export function escapeHtml(text: string): string {
  return text.replace(/[&<>"']/g, (mark) => entities[mark] ?? '')
}
