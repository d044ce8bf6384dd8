/** How many checklist items a description has, and how many of them are completed (contract 16, Issue). */
export type TaskCount = { count: number; completed_count: number }

const fence = /^ {0,3}(`{3,}|~{3,})/
/** Whether a text may have items at all; most have none. */
const mark = /\[[ xX]\]/
const item = /^(\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s+\[)([ xX])(\]\s+\S)/

/** The lines of a text with its checklist items, in order; those in code blocks are none. */
function* itemsOf(lines: readonly string[]): Generator<{ index: number; isDone: boolean }> {
  let open: string | null = null
  for (const [index, line] of lines.entries()) {
    const [, marks = ''] = fence.exec(line) ?? []
    if (open !== null) {
      if (marks.startsWith(open)) open = null
    } else if (marks !== '') open = marks
    else {
      const [, , state] = item.exec(line) ?? []
      if (state !== undefined) yield { index, isDone: state !== ' ' }
    }
  }
}

/** Counts the Markdown checklist items of a text; those in code blocks do not count. */
export function countTasks(text: string | null): TaskCount {
  const found: TaskCount = { count: 0, completed_count: 0 }
  if (text === null || !mark.test(text)) return found
  for (const { isDone } of itemsOf(text.split('\n'))) {
    found.count += 1
    if (isDone) found.completed_count += 1
  }
  return found
}

/**
 * The text with one of its checklist items completed or not; null when there is none in the line.
 * @param line from 1
 * @param isDone without it the item is turned around
 */
export function withTask(text: string, line: number, isDone?: boolean): string | null {
  const lines = text.split('\n')
  const found = [...itemsOf(lines)].find(({ index }) => index === line - 1)
  if (!found) return null
  const state = (isDone ?? !found.isDone) ? 'x' : ' '
  lines[found.index] = (lines[found.index] ?? '').replace(item, `$1${state}$3`)
  return lines.join('\n')
}

/** `1 of 3 checklist items completed`; empty without tasks. */
export function taskStatus({ count, completed_count }: TaskCount): string {
  return count === 0 ? '' : `${completed_count} of ${count} checklist ${count === 1 ? 'item' : 'items'} completed`
}
