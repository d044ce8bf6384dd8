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

/**
 * A Markdown text as a part of a page. Its references become links to what the caller may read when the page is whole.
 * @param finish changes the HTML of the text
 */
export function referring(
  visit: Visit,
  text: string,
  options: RenderOptions,
  finish = (html: Html): Html => html,
): Html {
  return visit.texts.add((links) => finish(markdown(text, { ...options, ...links })))
}

type ProseProps = {
  visit: Visit
  text: string
  lead?: boolean
  /** Makes the ids of the headings differ from those of other texts of the page. */
  name?: string | undefined
  task?: RenderOptions['task']
}

/** A Markdown text of a project or group, such as a description or a comment. @param task writes the marks of checklist items */
export function Prose({ visit, text, lead, name, task }: ProseProps): Html {
  const idPrefix = name === undefined ? {} : { idPrefix: `user-content-${name}-` }
  const options = { resolve: resolverOf(visit), ...idPrefix, ...(task && { task }) }
  return <div class={lead ? 'prose lead-text' : 'prose'}>{referring(visit, text, options, belowTitle)}</div>
}
