import type { RenderOptions } from '../../../infra/markdown/index.ts'
import { baseOf } from '../../frame/addresses.ts'
import { type Html, trusted } from '../../html/index.ts'
import { resolverIn } from '../../operations.ts'
import type { Level, Visit } from '../../page.ts'
import { markdown } from '../markdown.ts'

/** Whether a page is below a project or a group. */
export const levelOf = ({ project, group }: Visit): Level => (project ? 'project' : group ? 'group' : 'instance')

/** Where an address in a text of a project or group leads. */
function resolverOf(visit: Visit): (url: string) => string {
  const kind = levelOf(visit)
  return resolverIn({ kind, id: kind === 'instance' ? 0 : visit[kind].id, base: baseOf(visit, kind) })
}

/** Headings of a text stand below those of the page: they begin at the second level, and none skips one. */
function belowTitle(html: Html): Html {
  let level = 1
  const text = html.text.replace(/<(\/?)h([1-6])(?=[ >])/g, (_, end, given) => {
    if (end === '') level = Math.min(Number(given) + 1, level + 1, 6)
    return `<${end}h${level}`
  })
  return trusted(text)
}

type ProseProps = { visit: Visit; text: string; lead?: boolean; noteId?: number | string; task?: RenderOptions['task'] }

/** A Markdown text of a project or group, such as a description or, with its id, a comment. @param task writes the marks of checklist items */
export function Prose({ visit, text, lead, noteId, task }: ProseProps): Html {
  const idPrefix = noteId === undefined ? {} : { idPrefix: `user-content-note-${noteId}-` }
  const options = { resolve: resolverOf(visit), ...idPrefix, ...(task && { task }) }
  const shown = visit.texts.add((links) => belowTitle(markdown(text, { ...options, ...links })))
  return <div class={lead ? 'prose lead-text' : 'prose'}>{shown}</div>
}
