/** Renders Markdown to safe HTML, or to plain text. */
import { createRequire } from 'node:module'
import type { MarkdownIt, MarkdownItOptions, Token } from 'markdown-it'
import { addCodeForms, addEmoji, addFootnotes } from './extensions.ts'
import { addHeadingRules } from './headings.ts'
import { idPrefixOf, type RenderOptions } from './options.ts'
import { addIssueRules } from './tasks-and-references.ts'

export type { Reference, RenderOptions, Task } from './options.ts'

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

/** Leads an address to where the caller says, and one within the text to an id of the text. */
function resolveAttribute(token: Token | undefined, name: string, env: unknown): void {
  const { resolve, isPlain } = (env ?? {}) as RenderOptions
  const url = String(token?.attrGet(name) ?? '')
  if (!isPlain && /^#[^#]/.test(url)) token?.attrSet(name, `#${idPrefixOf(env)}${url.slice(1)}`)
  else if (resolve && url) token?.attrSet(name, resolve(url))
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

const renderers = new Map<boolean, MarkdownIt>()

/** Loads the packages on first use. */
function rendererFor({ isPlain = false }: RenderOptions): MarkdownIt {
  const known = renderers.get(isPlain)
  if (known) return known
  const load = createRequire(import.meta.url)('markdown-it') as (options: MarkdownItOptions) => MarkdownIt
  const markdown = configure(load({ html: false, linkify: true, maxNesting: deepestNesting }))
  addFootnotes(markdown)
  if (!isPlain) for (const add of [addEmoji, addCodeForms, addHeadingRules]) add(markdown)
  addIssueRules(markdown)
  renderers.set(isPlain, markdown)
  return markdown
}

/**
 * Renders CommonMark with tables, strike-through, automatic links and footnotes to HTML; unless it is to be plain, also emoji,
 * formulas, colours, data before the text, ids of headings and a table of contents. HTML in the text is escaped. Links and
 * images may only have schemes of the web; links do not send a referrer.
 *
 * The time is bounded: texts and paragraphs that are too long are escaped instead of rendered.
 */
export function renderMarkdown(text: string, options: RenderOptions = {}): string {
  const markdown = rendererFor(options)
  if (text.length > longestText) return `<pre><code>${markdown.utils.escapeHtml(text)}</code></pre>\n`
  return markdown.render(text, { ...options })
}

/** The text of Markdown without its marks; one line per block, line breaks of the source kept. */
export function markdownToText(text: string): string {
  if (text.length > longestText) return text
  const blocks = rendererFor({ isPlain: true })
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
