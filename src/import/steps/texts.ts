import { type Item, textOf, timeOf } from '../clients/values.ts'

/** Where a text comes from. */
export type Origin = { author: Item | undefined; item: Item; url: string }

const fence = /^\s{0,3}(`{3,}|~{3,})/
const action = /^\/(?=[a-z_]+(?:\s|$))/

/**
 * A text whose lines are no quick actions here: at the source they were carried out and removed, or were none.
 */
export function withoutActions(text: string): string {
  let open: string | null = null
  const lines = text.split('\n').map((line) => {
    const mark = fence.exec(line)?.[1]
    if (mark !== undefined) {
      if (open === null) open = mark
      else if (mark.startsWith(open)) open = null
      return line
    }
    return open === null ? line.replace(action, '\\/') : line
  })
  return lines.join('\n')
}

/** A name in code: it mentions no one. */
const quoted = (name: string) => `\`@${name.replaceAll('`', '')}\``

/** A text with a first line that says where it comes from, who wrote it, and when. */
export function credited(text: string, { author, item, url }: Origin): string {
  const name = author && textOf(author, 'username')
  const at = timeOf(item, 'created_at')
  const by = `, written${name === undefined ? '' : ` by ${quoted(name)}`}${at === undefined ? '' : ` at ${at}`}`
  return `*Imported from ${url.replaceAll(/[\s<>*]/g, '')}${(name ?? at) ? by : ''}.*\n\n${text}`
}
