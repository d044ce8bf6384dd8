import {
  type Actor,
  badRequest,
  forms,
  notFound,
  type Page,
  type PageRequest,
  type Static,
  Type,
} from '../../../api/index.ts'
import { isUniqueViolation, now, type Reader } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { type NamespaceRow, namespaceWebUrl } from '../../namespaces/index.ts'
import { heldProject, type Project, today } from '../core/access.ts'
import { visibleNamespace } from '../core/destinations.ts'
import { visibleProject } from '../core/lookup.ts'
import { projectsByIds } from '../core/store.ts'
import { presentProjects } from '../present/present.ts'
import { asksForListedJobs } from './reach.ts'
import * as store from './store.ts'

/** Projects and groups together. */
const maximumEntries = 200

/** Who acts, and how the act is recorded. */
type By = { actor: Actor; act: Act }

/** `unmodified` throws when an entry is newer than the caller allows. */
type Removing = By & { unmodified: (at: string) => void }

/** Whether jobs of other projects need to be listed (contract 24, JobTokenScope). */
export const JobTokenScope = Type.Object(
  { inbound_enabled: Type.Boolean(), outbound_enabled: Type.Boolean() },
  { title: 'JobTokenScope' },
)

/** A group whose projects' jobs may act in a project. */
export const JobTokenGroup = Type.Object(
  { id: forms.id, web_url: Type.String(), name: Type.String() },
  { title: 'JobTokenGroup' },
)

/** What was listed where. */
export const JobTokenProjectLink = Type.Object(
  { source_project_id: forms.id, target_project_id: forms.id },
  { title: 'JobTokenProjectLink' },
)
export const JobTokenGroupLink = Type.Object(
  { source_project_id: forms.id, target_group_id: forms.id },
  { title: 'JobTokenGroupLink' },
)

export async function getJobTokenScope({ database }: Platform, { id }: Project): Promise<Static<typeof JobTokenScope>> {
  return { inbound_enabled: await asksForListedJobs(database.read, id), outbound_enabled: false }
}

/** Stores whether a project asks for listed jobs. It counts when the instance does not demand it (contract 24). */
export async function updateJobTokenScope({ database }: Platform, { id }: Project, enabled: boolean, act: Act) {
  await database.write(async (tx) => {
    await heldProject(tx, id)
    await store.setOpenToJobs(tx, id, !enabled)
    await act(tx)
  })
}

/** A page of what there are never more than `maximumEntries` and one of. */
function pageWithin<T>(all: readonly T[], page: PageRequest): Page<T> {
  const from = page.kind === 'offset' ? page.offset : 0
  return { items: all.slice(from, from + page.limit), total: all.length }
}

/** The project itself, and the projects that are listed in it by id (contract 24, x.job_token_allowlist). */
export async function listAllowedProjects(platform: Platform, { id }: Project, actor: Actor, page: PageRequest) {
  const { read } = platform.database
  const { items: ids, ...rest } = pageWithin([id, ...(await store.listedProjects(read, id))], page)
  const rows = new Map((await projectsByIds(read, ids)).map((row) => [row.id, row]))
  const listed = ids.flatMap((one) => rows.get(one) ?? [])
  return { ...rest, items: await presentProjects(platform, listed, actor, { simple: true }) }
}

/** The groups that are listed in a project, by id (contract 24, x.job_token_groups). */
export async function listAllowedGroups({ database, externalUrl }: Platform, { id }: Project, page: PageRequest) {
  const { items: rows, ...rest } = pageWithin(await store.listedGroups(database.read, id), page)
  const items = rows.map((row) => ({ id: row.id, web_url: namespaceWebUrl(externalUrl, row), name: row.name }))
  return { ...rest, items }
}

/** @throws ApiError 400 when both lists together are full */
async function requirePlace(db: Reader, projectId: number): Promise<void> {
  const listed = [await store.listedProjects(db, projectId), await store.listedGroups(db, projectId)]
  if (listed.flat().length >= maximumEntries) {
    throw badRequest(
      'Validation failed: Source project exceeds the allowable number of project links in this direction',
    )
  }
}

/** A list of entries: of projects, or of groups. */
type List = { kind: 'project' | 'group'; insert: typeof store.listProject; remove: typeof store.unlistProject }
const projects: List = { kind: 'project', insert: store.listProject, remove: store.unlistProject }
const groups: List = { kind: 'group', insert: store.listGroup, remove: store.unlistGroup }

/** Adds an entry and records it. @throws ApiError 400 when it is there already, or both lists are full */
async function addEntry(platform: Platform, projectId: number, { kind, insert }: List, sourceId: number, act: Act) {
  await platform.database
    .write(async (tx) => {
      await heldProject(tx, projectId)
      await requirePlace(tx, projectId)
      await insert(tx, { projectId, sourceId }, now(platform.clock))
      await act(tx, sourceId)
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? badRequest(`Target ${kind} is already in the job token scope`) : error
    })
}

/** Removes an entry and records it. @returns whether it was there */
async function removeEntry(platform: Platform, projectId: number, { remove }: List, sourceId: number, by: Removing) {
  return platform.database.write(async (tx) => {
    const listedAt = await remove(tx, { projectId, sourceId })
    if (listedAt === null) return false
    by.unmodified(listedAt)
    await by.act(tx, sourceId)
    return true
  })
}

const notListed = ({ kind }: List) => badRequest(`Target ${kind} is not in the job token scope`)

/** Lets the jobs of another project act in a project. @throws ApiError 404 when the caller does not see it, 400 */
export async function allowProject(platform: Platform, { id }: Project, otherId: number, { actor, act }: By) {
  if (otherId === id) throw badRequest("Validation failed: Target project can't be the same as the source project")
  const other = await visibleProject(platform.database.read, String(otherId), actor, today(platform))
  if (!other) throw notFound('target_project_id not found')
  await addEntry(platform, id, projects, other.id, act)
  return { source_project_id: id, target_project_id: other.id }
}

async function visibleGroup(platform: Platform, id: number, actor: Actor): Promise<NamespaceRow | null> {
  const group = await visibleNamespace(platform.database.read, { text: String(id) }, actor, today(platform))
  return group?.kind === 'group' ? group : null
}

/** Lets the jobs of all projects below a group act in a project. @throws ApiError 404 when the caller does not see it, 400 */
export async function allowGroup(platform: Platform, { id }: Project, groupId: number, { actor, act }: By) {
  const group = await visibleGroup(platform, groupId, actor)
  if (!group) throw notFound('target_group_id not found')
  await addEntry(platform, id, groups, group.id, act)
  return { source_project_id: id, target_group_id: group.id }
}

/** Ends what jobs of another project may do in a project, also of those that run. @throws ApiError 404, 400, 412 */
export async function disallowProject(platform: Platform, { id }: Project, otherId: number, by: Removing) {
  if (otherId === id) throw badRequest('Source project cannot be removed from the job token scope')
  if (await removeEntry(platform, id, projects, otherId, by)) return
  const isSeen = await visibleProject(platform.database.read, String(otherId), by.actor, today(platform))
  throw isSeen ? notListed(projects) : notFound('Project')
}

/** Ends what jobs of projects below a group may do in a project. @throws ApiError 404, 400, 412 */
export async function disallowGroup(platform: Platform, { id }: Project, groupId: number, by: Removing) {
  if (await removeEntry(platform, id, groups, groupId, by)) return
  throw (await visibleGroup(platform, groupId, by.actor)) ? notListed(groups) : notFound('target_group_id not found')
}
