import { createRequire } from 'node:module'
import type { MarkdownIt, StateBlock, StateInline } from 'markdown-it'
import { idPrefixOf } from './options.ts'

type Plugin = (markdown: MarkdownIt, options?: object) => void
const load = createRequire(import.meta.url)

/** Adds footnotes, with ids that begin with the prefix of the text. */
export function addFootnotes(markdown: MarkdownIt): void {
  markdown.use(load('markdown-it-footnote') as Plugin)
  const { rules } = markdown.renderer
  const named: typeof rules = {}
  for (const name of ['footnote_ref', 'footnote_open', 'footnote_anchor']) {
    const write = rules[name]
    named[name] = (tokens, index, options, env, self) =>
      (write?.(tokens, index, options, env, self) ?? '').replace(
        / (id="|href="#)(?=fn)/g,
        (start) => start + markdown.utils.escapeHtml(idPrefixOf(env)),
      )
  }
  Object.assign(rules, named)
}

/** Adds the names of emoji, such as `:tada:`. Faces of punctuation stay as they are. */
export function addEmoji(markdown: MarkdownIt): void {
  const { full } = load('markdown-it-emoji') as { full: Plugin }
  markdown.use(full, { shortcuts: {} })
}

const formulas = [
  { mark: /\$`([^`\n]+)`\$/y, style: 'inline' },
  { mark: /\$\$([^$]+)\$\$/y, style: 'display' },
  { mark: /\$(?![\s$`])([^$\n]{0,500}[^$\s\\])\$(?!\d)/y, style: 'inline' },
] as const

/** Finds a formula at a dollar sign: a code element of its own, whose text the browser shows as it is. */
function formulaAt(state: StateInline, silent: boolean): boolean {
  if (state.src.charCodeAt(state.pos) !== 0x24) return false
  for (const { mark, style } of formulas) {
    mark.lastIndex = state.pos
    const [whole, formula] = mark.exec(state.src) ?? []
    if (whole === undefined || formula === undefined || state.pos + whole.length > state.posMax) continue
    if (!silent) {
      const token = state.push('code_inline', 'code', 0)
      token.content = formula.trim()
      token.attrs = [
        ['class', 'code math'],
        ['data-math-style', style],
      ]
    }
    state.pos += whole.length
    return true
  }
  return false
}

const languages: Readonly<Record<string, string>> = { '---': 'yaml', '+++': 'toml', ';;;': 'json' }

/** Finds the data that stands before a text between two equal lines, which is shown as code. */
function frontMatter(state: StateBlock, from: number, to: number, silent: boolean): boolean {
  if (from !== 0 || state.level !== 0 || state.blkIndent !== 0) return false
  const lineAt = (line: number) => state.src.slice(state.bMarks[line], state.eMarks[line]).trimEnd()
  const mark = lineAt(0)
  if (!Object.hasOwn(languages, mark)) return false
  let end = 1
  while (end < to && lineAt(end) !== mark) end += 1
  if (end >= to || silent) return end < to
  const token = state.push('fence', 'code', 0)
  token.info = languages[mark] as string
  token.content = state.getLines(1, end, 0, true)
  token.markup = mark
  token.map = [0, end + 1]
  state.line = end + 1
  return true
}

const colour = /^(?:#(?:[\da-f]{3,4}|[\da-f]{6}|[\da-f]{8})|(?:rgb|hsl)a?\([\d\s.,%/]{1,60}\))$/i

/** Adds formulas, data before a text, and a patch of colour behind a colour in code. */
export function addCodeForms(markdown: MarkdownIt): void {
  markdown.inline.ruler.before('backticks', 'formula', formulaAt)
  markdown.block.ruler.before('fence', 'front_matter', frontMatter)
  const code = markdown.renderer.rules.code_inline
  markdown.renderer.rules.code_inline = (tokens, index, options, env, self) => {
    const html = code?.(tokens, index, options, env, self) ?? ''
    const text = tokens[index]?.content ?? ''
    if (!colour.test(text)) return html
    const patch = `<rect width="10" height="10" rx="2" fill="${markdown.utils.escapeHtml(text)}"/>`
    return html.replace(
      /<\/code>$/,
      ` <svg class="color-chip" width="10" height="10" aria-hidden="true">${patch}</svg></code>`,
    )
  }
}
