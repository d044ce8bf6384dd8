import type { MarkdownIt, StateCore, Token } from 'markdown-it'
import type { FoundReference, RenderOptions, Task } from './options.ts'

/** Takes the mark from the text of a checklist item, as a token of its own. */
function markTask(state: StateCore, index: number): void {
  const [item, paragraph, inline] = state.tokens.slice(index, index + 3)
  const [text] = inline?.children ?? []
  if (item?.type !== 'list_item_open' || paragraph?.type !== 'paragraph_open' || text?.type !== 'text') return
  const [mark, sign] = /^\[([ xX])\]\s+(?=\S)/.exec(inline?.content ?? '') ?? []
  if (mark === undefined || !inline?.children || !text.content.startsWith(mark.trimEnd())) return
  const task = new state.Token('task', '', 0)
  task.meta = { line: (inline.map?.[0] ?? 0) + 1, isDone: sign !== ' ' }
  text.content = text.content.slice(mark.length)
  inline.children.unshift(task)
  item.attrSet('class', 'task')
}

const quoted = String.raw`"[^"\n]{1,255}"`
const hash = String.raw`[\da-f]{7,40}(?:\.{2,3}[\da-f]{7,40})?(?![\w-])`
/** Numbers behind a sign, names behind `%` and `~`, commits and ranges of them, and mentions. */
const references = new RegExp(
  String.raw`(?<![\w/&#@!$%~.-])(?:(?:[\w.-]+(?:\/[\w.-]+)+)?[#!&]\d{1,9}\b|\$\d{1,9}\b|[%~](?:${quoted}|[\w.:?&-]*[\w?])|${hash}|@[A-Za-z0-9_](?:[\w.-]*\w)?)`,
  'g',
)

type Lookup = NonNullable<RenderOptions['reference']>

/** The references in a text, in their order. */
function referencesIn(text: string, { others }: RenderOptions): FoundReference[] {
  const own = [...text.matchAll(references)].map(({ 0: found, index }) => ({ index, found }))
  const further = others?.(text) ?? []
  return further.length === 0 ? own : [...further, ...own].toSorted((one, other) => one.index - other.index)
}

/** Divides a text at its references, which become links. */
function linkReferences(state: StateCore, text: Token, reference: Lookup): Token[] {
  const parts: Token[] = []
  let from = 0
  const add = (type: string, nesting: -1 | 0 | 1, content = '') => {
    const token = new state.Token(type, type === 'text' ? '' : 'a', nesting)
    token.content = content
    parts.push(token)
    return token
  }
  for (const { found, index } of referencesIn(text.content, (state.env ?? {}) as RenderOptions)) {
    // Of two that overlap, the first is one.
    const target = index < from ? null : reference(found)
    if (target === null) continue
    add('text', 0, text.content.slice(from, index))
    add('link_open', 1).attrs = [['href', target.href]]
    add('text', 0, target.shown ?? found)
    add('link_close', -1)
    from = index + found.length
  }
  if (from === 0) return [text]
  add('text', 0, text.content.slice(from))
  return parts
}

/** Shortens the text of an automatic link that is the address of something that a reference names. */
function shortenAddress(link: Token, text: Token | undefined, reference: Lookup): void {
  const isAutomatic = link.type === 'link_open' && link.info === 'auto'
  const target = isAutomatic && text?.type === 'text' ? reference(String(link.attrGet('href'))) : null
  if (target?.shown !== undefined && text) text.content = target.shown
}

/** Links the references in a paragraph, but for those that are links already. */
function linkChildren(state: StateCore, children: readonly Token[], reference: Lookup) {
  let depth = 0
  return children.flatMap((child, index) => {
    shortenAddress(child, children[index + 1], reference)
    depth += child.type === 'link_open' ? 1 : child.type === 'link_close' ? -1 : 0
    return child.type === 'text' && depth === 0 ? linkReferences(state, child, reference) : [child]
  })
}

/** The lines and columns of a block from 1, as in `1:1-2:5`; lines that are empty at its end are none of it. */
function positionOf([from, to]: readonly [number, number], lines: readonly string[]): string {
  let last = Math.max(to, from + 1)
  while (last > from + 1 && (lines[last - 1] ?? '').trim() === '') last -= 1
  const indentation = /^\s*/.exec(lines[from] ?? '')?.[0].length ?? 0
  return `${from + 1}:${indentation + 1}-${last}:${Math.max(lines[last - 1]?.length ?? 0, 1)}`
}

/** Marks the blocks of a text with their positions and direction, and code with its language. */
function markBlocks(state: StateCore): void {
  const lines = state.src.split('\n')
  for (const token of state.tokens) {
    if (token.map && token.block && token.nesting >= 0 && token.type !== 'inline') {
      token.attrSet('data-sourcepos', positionOf(token.map as [number, number], lines))
      token.attrSet('dir', 'auto')
    }
    const [language] = token.type === 'fence' ? token.info.trim().split(/\s+/) : []
    if (language) token.attrSet('data-canonical-lang', language)
  }
}

/** Adds the rules for checklists and references, for renderings that ask for them. */
export function addIssueRules(markdown: MarkdownIt): void {
  markdown.core.ruler.push('issues', (state) => {
    const { task, reference, positions } = (state.env ?? {}) as RenderOptions
    if (positions) markBlocks(state)
    for (const [index, token] of state.tokens.entries()) {
      if (task) markTask(state, index)
      if (reference && token.children) token.children = linkChildren(state, token.children, reference)
    }
  })
  markdown.renderer.rules.task = (tokens, index, _options, env) =>
    (env as RenderOptions).task?.(tokens[index]?.meta as Task) ?? ''
}
