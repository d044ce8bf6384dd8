/** How many checklist items a description has, and how many of them are completed (contract 16, Issue). */
export type TaskCount = { count: number; completed_count: number }

const fence = /^ {0,3}(`{3,}|~{3,})/
/** Whether a text may have items at all; most have none. */
const mark = /\[[ xX]\]/
const item = /^\s*(?:>\s*)*(?:[-*+]|\d{1,9}[.)])\s+\[([ xX])\]\s+\S/

/** Counts the Markdown checklist items of a text; those in code blocks do not count. */
export function countTasks(text: string | null): TaskCount {
  const found: TaskCount = { count: 0, completed_count: 0 }
  if (text === null || !mark.test(text)) return found
  let open: string | null = null
  for (const line of text.split('\n')) {
    const [, marks = ''] = fence.exec(line) ?? []
    if (open !== null) {
      if (marks.startsWith(open)) open = null
    } else if (marks !== '') open = marks
    else {
      const [, state] = item.exec(line) ?? []
      if (state !== undefined) found.count += 1
      if (state !== undefined && state !== ' ') found.completed_count += 1
    }
  }
  return found
}

/** `1 of 3 checklist items completed`; empty without tasks. */
export function taskStatus({ count, completed_count }: TaskCount): string {
  return count === 0 ? '' : `${completed_count} of ${count} checklist ${count === 1 ? 'item' : 'items'} completed`
}
