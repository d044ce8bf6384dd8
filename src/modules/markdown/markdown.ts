import { type Actor, badRequest, dayOf, notFound, type ParamValues, t } from '../../api/index.ts'
import { type RenderOptions, renderMarkdown } from '../../infra/markdown/index.ts'
import type { Platform } from '../../platform/index.ts'
import { type Project, visibleProject } from '../projects/index.ts'
import { resolverIn } from './addresses.ts'
import { referencesOf, type TextReader } from './references.ts'
import { linksToTrackers } from './trackers.ts'

/** Parameters of x.markdown. */
export const markdownParams = {
  text: t.required(t.string({ description: 'Markdown, at most 1 MiB.' })),
  gfm: t.boolean({ description: 'With references and addresses relative to the project; default false.' }),
  project: t.string({ description: 'Full path of the project to which short references are.' }),
}

const longestBytes = 1024 * 1024

const task: RenderOptions['task'] = ({ isDone }) =>
  `<input type="checkbox" class="task-list-item-checkbox" disabled${isDone ? ' checked' : ''}> `

/** How a text of a project is rendered for a caller. */
async function optionsFor(reader: TextReader, text: string): Promise<RenderOptions> {
  const { platform, project } = reader
  const targets = await referencesOf(reader, text)
  const { others, withTrackers } = await linksToTrackers(platform, project)
  const reference = withTrackers((found) => targets.get(found) ?? null)
  if (!project) return { reference }
  const { externalUrl: origin } = platform
  const place = { kind: 'project', id: project.id, base: `${origin}/${project.full_path}`, origin } as const
  return { reference, ...(others && { others }), resolve: resolverIn(place) }
}

/**
 * Renders Markdown as HTML for a caller (contract 25, x.markdown).
 * @throws ApiError 400 for a text that is too long, 404 for a project that the caller cannot see
 */
export async function renderFor(
  platform: Platform,
  actor: Actor,
  { text, gfm = false, project: path }: ParamValues<typeof markdownParams>,
): Promise<{ html: string }> {
  if (Buffer.byteLength(text) > longestBytes) throw badRequest(`text is too long (maximum is ${longestBytes} bytes)`)
  const project = path === undefined ? null : await projectAt(platform, actor, path)
  const options = gfm ? await optionsFor({ platform, actor, project }, text) : { isPlain: true }
  return { html: renderMarkdown(text, { task, positions: true, ownUrl: platform.externalUrl, ...options }) }
}

/** @throws ApiError 404, also for an id */
async function projectAt({ database, clock }: Platform, actor: Actor, path: string): Promise<Project> {
  const found = path.includes('/') ? await visibleProject(database.read, path, actor, dayOf(clock.now())) : null
  if (!found) throw notFound('Project')
  return found
}
