import { type Actor, badRequest, dayOf, notFound, type ParamValues, t } from '../../api/index.ts'
import { type RenderOptions, renderMarkdown } from '../../infra/markdown/index.ts'
import type { Platform } from '../../platform/index.ts'
import { linksOfReferences, mentionsIn } from '../issuables/index.ts'
import { type Project, visibleProject } from '../projects/index.ts'
import { usersByUsernames } from '../users/index.ts'
import { resolverIn } from './addresses.ts'

/** Parameters of x.markdown. */
export const markdownParams = {
  text: t.required(t.string({ description: 'Markdown, at most 1 MiB.' })),
  gfm: t.boolean({ description: 'With references and addresses relative to the project; default false.' }),
  project: t.string({ description: 'Full path of the project to which short references are.' }),
}

const longestBytes = 1024 * 1024

const task: RenderOptions['task'] = ({ isDone }) =>
  `<input type="checkbox" class="task-list-item-checkbox" disabled${isDone ? ' checked' : ''}> `

/** Where the mentions of a text lead: to users. @returns paths by the username in lower case */
async function linksOfMentions({ database }: Platform, text: string): Promise<ReadonlyMap<string, string>> {
  const users = await usersByUsernames(database.read, mentionsIn(text))
  return new Map(users.map(({ username }) => [`@${username.toLowerCase()}`, `/${username}`]))
}

/** What a text of a project refers to, as far as the caller may read it. */
async function referencesFor(
  platform: Platform,
  actor: Actor,
  text: string,
  project: Project | null,
): Promise<RenderOptions> {
  const home = { projectId: project?.id ?? null, groupId: null }
  const [issuables, people] = await Promise.all([
    linksOfReferences(platform, actor, text, home),
    linksOfMentions(platform, text),
  ])
  const { externalUrl } = platform
  const reference = (found: string) => {
    const key = found.toLowerCase()
    const path = issuables.get(key) ?? people.get(key)
    return path === undefined ? null : `${externalUrl}${path}`
  }
  if (!project) return { reference }
  const base = `${externalUrl}/${project.full_path}`
  return { reference, resolve: resolverIn({ kind: 'project', id: project.id, base, origin: externalUrl }) }
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
  const references = gfm ? await referencesFor(platform, actor, text, project) : {}
  return { html: renderMarkdown(text, { task, positions: true, ownUrl: platform.externalUrl, ...references }) }
}

/** @throws ApiError 404, also for an id */
async function projectAt({ database, clock }: Platform, actor: Actor, path: string): Promise<Project> {
  const found = path.includes('/') ? await visibleProject(database.read, path, actor, dayOf(clock.now())) : null
  if (!found) throw notFound('Project')
  return found
}
