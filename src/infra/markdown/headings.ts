import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import { idPrefixOf } from './options.ts'

/** The name of a heading in addresses: its words in lower case with hyphens between them. */
function slugOf(text: string): string {
  return text
    .toLowerCase()
    .replace(/[^\p{L}\p{N}\p{M}_\- ]/gu, '')
    .trim()
    .replaceAll(' ', '-')
}

const textOf = (children: readonly Token[] | null) =>
  (children ?? [])
    .map(({ type, content }) => (type.endsWith('break') ? ' ' : content))
    .join('')
    .trim()

type Heading = { level: number; id: string; text: string }

/** Gives each heading an id; of headings with one name the later ones have a number behind it. */
function nameHeadings(state: StateCore): Heading[] {
  const prefix = idPrefixOf(state.env)
  const taken = new Map<string, number>()
  return state.tokens.flatMap((token, index) => {
    if (token.type !== 'heading_open') return []
    const text = textOf(state.tokens[index + 1]?.children ?? null)
    const slug = slugOf(text) || 'section'
    const count = taken.get(slug) ?? 0
    taken.set(slug, count + 1)
    const id = `${prefix}${count === 0 ? slug : `${slug}-${count}`}`
    token.attrSet('id', id)
    return [{ level: Number(token.tag.slice(1)), id, text }]
  })
}

/** A list of links to the headings; a heading is in the list of the nearest one above it with a lower level. */
function tableOfContents(markdown: MarkdownIt, headings: readonly Heading[]): string {
  const { escapeHtml } = markdown.utils
  const levels: number[] = []
  let html = ''
  for (const { level, id, text } of headings) {
    while (levels.length > 1 && level < (levels.at(-1) as number)) {
      levels.pop()
      html += '</li></ul>'
    }
    if (levels.length === 0 || level > (levels.at(-1) as number)) {
      levels.push(level)
      html += '<ul>'
    } else html += '</li>'
    html += `<li><a href="#${escapeHtml(encodeURIComponent(id))}">${escapeHtml(text)}</a>`
  }
  return `${html}${'</li></ul>'.repeat(levels.length)}\n`
}

/** Paragraphs in the place of which the table of contents stands. */
const contentsMarks = new Set(['[[_TOC_]]', '[TOC]'])

/** Adds ids to headings, and a table of contents where a text asks for one (contract 25, x.markdown). */
export function addHeadingRules(markdown: MarkdownIt): void {
  markdown.core.ruler.push('headings', (state) => {
    const headings = nameHeadings(state)
    let isWritten = false
    for (const [index, token] of state.tokens.entries()) {
      const [inline, close] = state.tokens.slice(index + 1, index + 3)
      if (token.type !== 'paragraph_open' || !inline || !close || !contentsMarks.has(inline.content.trim())) continue
      for (const part of [token, inline, close]) Object.assign(part, { type: 'nothing', nesting: 0, children: null })
      if (!isWritten) Object.assign(token, { type: 'contents', content: tableOfContents(markdown, headings) })
      isWritten = true
    }
  })
  markdown.renderer.rules.nothing = () => ''
  markdown.renderer.rules.contents = (tokens, index) => tokens[index]?.content ?? ''
}
