import { randomUUID } from 'node:crypto'
import { type Actor, dayOf } from '../../api/index.ts'
import { escapeHtml, type Reference, type RenderOptions } from '../../infra/markdown/index.ts'
import type { Platform } from '../../platform/index.ts'
import { visibleProject } from '../projects/index.ts'
import { referencesOfPage } from './references.ts'
import { linksToTrackers } from './trackers.ts'

/** References of a page that differ, beyond these, stay text. */
const mostOfPage = 1_000

/** Renders a text with these options. */
type Rendering = (options: Pick<RenderOptions, 'reference' | 'others'>) => string

/** Where the texts of a page are: what references without a path are to. */
type PagePlace = { projectId: number | null; groupId: number | null }

/**
 * Renders the texts of a page for a caller. Their references become links to what the caller may read, and to the trackers of the project.
 * All are looked up at once when the texts are rendered: until then they lead to numbers.
 * @returns the HTML of each text; links within this server are paths
 */
export async function renderTexts(
  platform: Platform,
  actor: Actor,
  { projectId, groupId }: PagePlace,
  texts: readonly Rendering[],
): Promise<string[]> {
  const { database, clock, externalUrl } = platform
  const project =
    projectId === null ? null : await visibleProject(database.read, String(projectId), actor, dayOf(clock.now()))
  const { others, withTrackers } = await linksToTrackers(platform, project)
  // No text can have it, since it is another one each time.
  const scheme = `reference-${randomUUID()}`
  const numbers = new Map<string, number>()
  const reference = (found: string) => {
    // An address is a link already.
    if (/^https?:/.test(found) || (!numbers.has(found) && numbers.size >= mostOfPage)) return null
    const number = numbers.get(found) ?? numbers.size
    numbers.set(found, number)
    return { href: `${scheme}:${number}` }
  }
  const rendered = texts.map((render) => render({ reference, ...(others && { others }) }))
  const found = [...numbers.keys()]
  if (found.length === 0) return rendered
  const targets = await referencesOfPage({ platform, actor, project, groupId }, found)
  const links = found.map(withTrackers((one) => targets.get(one) ?? null))
  const marks = new RegExp(`<a href="${scheme}:(\\d+)"([^>]*)>([^<]*)</a>`, 'g')
  return rendered.map((html) =>
    html.replace(marks, (_, number, attributes, text) => linkTo(links[number] ?? null, attributes, text, externalUrl)),
  )
}

function linkTo(target: Reference | null, attributes: string, text: string, externalUrl: string): string {
  if (target === null) return text
  const { href, shown } = target
  const path = href.startsWith(`${externalUrl}/`) ? href.slice(externalUrl.length) : href
  return `<a href="${escapeHtml(path)}"${attributes}>${shown === undefined ? text : escapeHtml(shown)}</a>`
}
