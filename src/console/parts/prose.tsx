import { baseOf } from '../frame/addresses.ts'
import type { Html } from '../html/index.ts'
import type { Level, Visit } from '../page.ts'
import { markdown } from './markdown.ts'

/** Whether a page is below a project or a group. */
export const levelOf = ({ project, group }: Visit): Level => (project ? 'project' : group ? 'group' : 'instance')

/** Where an address in a text of a project or group leads: uploads and files of the repository are relative to it. */
function resolverOf(visit: Visit): (url: string) => string {
  const at = levelOf(visit)
  const base = baseOf(visit, at)
  return (url) => {
    if (at === 'instance' || /^([a-z][a-z\d+.-]*:|#|\/\/)/i.test(url)) return url
    if (/^\/uploads\//.test(url)) return `${base}/-${url}`
    return url.startsWith('/') || at === 'group' ? url : `${base}/-/blob/HEAD/${url.replace(/^\.\//, '')}`
  }
}

/** A Markdown text of a project or group, such as a description or a comment. */
export function Prose({ visit, text, lead }: { visit: Visit; text: string; lead?: boolean }): Html {
  return <div class={lead ? 'prose lead-text' : 'prose'}>{markdown(text, { resolve: resolverOf(visit) })}</div>
}
