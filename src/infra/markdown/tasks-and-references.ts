import type { MarkdownIt, StateCore, Token } from 'markdown-it'

/** What a rendering depends on besides the text. */
export type RenderOptions = {
  /** Returns where a link or image leads instead; the address is percent-encoded. */
  resolve?(url: string): string
  /** Writes the mark of a checklist item as HTML. Without it the items are plain text. @param task its line from 1 */
  task?(task: Task): string
  /** Returns where a reference leads, such as `#1`, `group/project!1` or `@user`; null for one that stays text. */
  reference?(text: string): string | null
  /** Writes where each block stands in the text, and its direction (contract 25, x.markdown). */
  positions?: boolean
  /** The address of this server: links to others open a page of their own. Without it all links are treated alike. */
  ownUrl?: string
}

/** A checklist item. */
export type Task = { line: number; isDone: boolean }

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

const references = /(?<![\w/&#@!.-])(?:(?:[\w.-]+(?:\/[\w.-]+)+)?[#!&]\d{1,9}\b|@[A-Za-z0-9_](?:[\w.-]*\w)?)/g

/** Divides a text at its references, which become links. */
function linkReferences(state: StateCore, text: Token, reference: (text: string) => string | null): Token[] {
  const parts: Token[] = []
  let from = 0
  const add = (type: string, nesting: -1 | 0 | 1, content = '') => {
    const token = new state.Token(type, type === 'text' ? '' : 'a', nesting)
    token.content = content
    parts.push(token)
    return token
  }
  for (const { 0: found, index } of text.content.matchAll(references)) {
    const href = reference(found)
    if (href === null) continue
    add('text', 0, text.content.slice(from, index))
    add('link_open', 1).attrs = [['href', href]]
    add('text', 0, found)
    add('link_close', -1)
    from = index + found.length
  }
  if (from === 0) return [text]
  add('text', 0, text.content.slice(from))
  return parts
}

/** Links the references in a paragraph, but for those that are links already. */
function referencesIn(state: StateCore, children: readonly Token[], reference: (text: string) => string | null) {
  let depth = 0
  return children.flatMap((child) => {
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
      if (reference && token.children) token.children = referencesIn(state, token.children, reference)
    }
  })
  markdown.renderer.rules.task = (tokens, index, _options, env) =>
    (env as RenderOptions).task?.(tokens[index]?.meta as Task) ?? ''
}
