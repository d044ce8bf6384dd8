import {
  type Actor,
  dayOf,
  notFound,
  type Page,
  type PageRequest,
  parameterError,
  type Unmodified,
} from '../../../api/index.ts'
import { claim, now, type TestUse } from '../../../infra/database/index.ts'
import { type Events, type Platform, type Ports, type Reaction, type RefCheck, react } from '../../../platform/index.ts'
import type { Group } from '../../groups/index.ts'
import { callerOf, type Project, projectsWithRoles, visibleProjects } from '../../projects/index.ts'
import { ghostUserId } from '../../users/index.ts'
import { seesReleases } from '../access.ts'
import { keepNamedMilestones } from '../milestones/milestones.ts'
import { replaceMilestones } from '../milestones/store.ts'
import { presentOne, presentReleases } from './load.ts'
import type { GroupReleaseFilter, LatestView, ReleaseChanges, ReleaseFilter, ReleaseView } from './params.ts'
import type { PresentedRelease } from './present.ts'
import { requireChangeableRelease, requireRelease } from './require-release.ts'
import * as store from './store.ts'

/** A page of the releases of a project (contract 22, x.releases_list). */
export async function listReleases(
  platform: Platform,
  project: Project,
  actor: Actor,
  filter: ReleaseFilter,
  page: PageRequest,
): Promise<Page<PresentedRelease>> {
  const rows = await store.pageOfReleases(platform.database.read, project.id, filter, page)
  return { ...rows, items: await presentReleases(platform, actor, rows.items, [project], filter) }
}

/** A page of the releases that the caller may see in all projects below a group, by date (contract 22, x.group_releases). */
export async function listGroupReleases(
  platform: Platform,
  group: Group,
  actor: Actor,
  filter: GroupReleaseFilter,
  page: PageRequest,
): Promise<Page<PresentedRelease>> {
  const db = platform.database.read
  const caller = { ...(await callerOf(db, actor, dayOf(platform.clock.now()))), least: group.level }
  const visible = (use: TestUse) =>
    visibleProjects(db, caller, ['releases_access_level', 'repository_access_level'], use)
  const rows = await store.pageOfGroupReleases(db, group.id, visible, filter, page)
  const ids = rows.items.map(({ project_id }) => project_id)
  const projects = await projectsWithRoles(db, caller, ids)
  return { ...rows, items: await presentReleases(platform, actor, rows.items, projects, filter) }
}

/** Gets the release of a tag (contract 22, x.releases_get). @throws ApiError 404 */
export async function getRelease(platform: Platform, project: Project, actor: Actor, tag: string, view: ReleaseView) {
  return presentOne(platform, actor, await requireRelease(platform, project, tag), project, view)
}

/** Encodes the segments of a path. @throws ApiError 400 when it contains `.` or `..` */
function encodeSuffix(path: string): string {
  const segments = path.split('/').filter((segment) => segment !== '')
  if (segments.some((segment) => segment === '.' || segment === '..')) throw parameterError('suffix_path', 'is invalid')
  return segments.map((segment) => `/${encodeURIComponent(segment)}`).join('')
}

/** The API's address of the latest release (contract 22, x.releases_latest). @throws ApiError 404 when there is none */
export async function latestReleaseUrl(
  { database, clock, externalUrl }: Platform,
  project: Project,
  { suffix_path = '', include_html_description: withHtml }: LatestView,
): Promise<string> {
  const suffix = encodeSuffix(suffix_path)
  const release = await store.latestRelease(database.read, project.id, now(clock))
  if (!release) throw notFound()
  const path = `/api/v4/projects/${project.id}/releases/${encodeURIComponent(release.tag)}${suffix}`
  return `${externalUrl}${path}${withHtml === undefined ? '' : `?include_html_description=${withHtml}`}`
}

/** Changes a release (contract 22, x.releases_update). @throws ApiError 400, 403, 404 */
export async function updateRelease(
  platform: Platform,
  project: Project,
  actor: Actor,
  tag: string,
  given: ReleaseChanges,
): Promise<PresentedRelease> {
  const { id } = await requireChangeableRelease(platform, project, actor, tag)
  const { name, description, released_at } = given
  const changes = {
    ...(name === undefined ? {} : { name: name.trim() === '' ? null : name }),
    ...(description === undefined ? {} : { description }),
    ...(released_at === undefined ? {} : { released_at }),
    updated_at: now(platform.clock),
  }
  const release = await platform.database.write(async (tx) => {
    const milestoneIds = await keepNamedMilestones(tx, project, given)
    const updated = await store.updateRelease(tx, id, changes)
    if (updated && milestoneIds) await replaceMilestones(tx, id, milestoneIds)
    const saved = { releaseId: id, projectId: project.id, action: 'update' } as const
    if (updated) await react(platform, tx, 'release.changed', saved)
    return updated
  })
  if (!release) throw notFound()
  return presentOne(platform, actor, release, project)
}

/** Deletes a release; its tag stays (contract 22, x.releases_delete). @throws ApiError 403, 404, 412 */
export async function deleteRelease(
  platform: Platform,
  project: Project,
  actor: Actor,
  tag: string,
  unmodified: Unmodified,
): Promise<PresentedRelease> {
  const release = await requireChangeableRelease(platform, project, actor, tag)
  const presented = await presentOne(platform, actor, release, project)
  await platform.database.write(async (tx) => {
    const row = await claim(tx, 'releases', () => store.releaseById(tx, release.id))
    if (!row) throw notFound()
    unmodified(row.updated_at)
    const removed = { releaseId: release.id, projectId: project.id, action: 'delete' } as const
    await react(platform, tx, 'release.changed', removed)
    await store.deleteRelease(tx, release.id)
  })
  return presented
}

/** Answers `tags.releases`. */
export const releasesOfTags: Ports['tags.releases'] = async ({ database }, project, actor, names) => {
  const rows = seesReleases(actor, project) ? await store.releasesOnTags(database.read, project.id, names) : []
  return new Map(rows.map(({ tag, description }) => [tag, { tag_name: tag, description }]))
}

/** Replaces the author of releases when a user is removed: by the ghost user, or by none when contributions are deleted. */
export const changeAuthor: Reaction<Events['user.removed']> = async (platform, tx, { userId, hard }) =>
  store.replaceAuthor(tx, userId, hard ? null : await ghostUserId(platform, tx))

/** Finds releases without their tag. */
export const releaseProblems: RefCheck = async ({ database }, projectId, refs) => {
  const tags = await store.tagsWithReleases(database.read, projectId)
  const missing = tags.filter((tag) => refs.tag(tag) === null)
  return missing.map((tag) => `project ${projectId}: the tag ${tag} of a release does not exist`)
}
