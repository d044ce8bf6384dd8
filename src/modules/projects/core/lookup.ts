import { type Actor, dayOf, forbidden } from '../../../api/index.ts'
import type { Condition, Reader, TestUse } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import {
  type GroupAbility,
  inheritedLevels,
  noPermissions,
  permissionsInProjects,
  projectLevels,
} from '../../access/index.ts'
import { mayInGroup, withLevel } from '../../groups/index.ts'
import { findRoute, namespaceById } from '../../namespaces/index.ts'
import { reachesOfJob } from '../job-scope/reach.ts'
import { type Caller, featureLevel, isUsableBy } from '../lists/store/access.ts'
import type { ProjectSettings } from '../settings/settings.ts'
import { asReached, callerRoles, canSee, type Project, withRole } from './access.ts'
import { projectById, projectsByIds } from './store.ts'
import { fromGroup, type ProjectOrGroup } from './twins.ts'

/**
 * A second project that a request names besides its subject, by id or full path (also a former one); null when the actor
 * cannot see it.
 */
export async function visibleProject(db: Reader, text: string, actor: Actor, today: string): Promise<Project | null> {
  const id = /^\d+$/.test(text) ? Number(text) : ((await findRoute(db, text))?.projectId ?? null)
  const row = id !== null && Number.isSafeInteger(id) ? await projectById(db, id) : null
  if (!row || row.pending_delete) return null
  const project = await withRole(db, row, actor, today)
  return canSee(actor, project) ? project : null
}

/** The visibility of a project that the caller can see; null of any other. */
export async function seenProject(
  { database, clock }: Platform,
  id: number,
  actor: Actor,
): Promise<Project['visibility'] | null> {
  return (await visibleProject(database.read, String(id), actor, dayOf(clock.now())))?.visibility ?? null
}

/** A setting with the access level of a feature. */
type FeatureSetting = Extract<keyof ProjectSettings, `${string}_access_level`>

/** A caller with the roles that decide which projects they can see. */
export async function callerOf(db: Reader, actor: Actor, today: string): Promise<Caller> {
  return { actor, roles: await callerRoles(db, actor, today) }
}

/**
 * Conditions on `projects`: those that the caller can see and whose features are available to them.
 * @param use whether they find the projects, or filter projects that are found otherwise
 */
export function visibleProjects(
  db: Reader,
  caller: Caller,
  features: readonly FeatureSetting[],
  use: TestUse = 'tests',
): Condition[] {
  return [isUsableBy(db, caller, features.map(featureLevel), use)]
}

/** These projects with the caller's role in each, in a constant number of queries. */
export async function projectsWithRoles(
  db: Reader,
  { actor, roles }: Caller,
  ids: readonly number[],
): Promise<Project[]> {
  const rows = await projectsByIds(db, ids)
  const namespaceIds = rows.map(({ namespace_id }) => namespace_id)
  const above = await inheritedLevels(db, roles, namespaceIds)
  const own = await projectLevels(
    db,
    roles,
    rows.map(({ id }) => id),
  )
  const permissions = await permissionsInProjects(db, roles, rows)
  const jobs = await reachesOfJob(db, rows, actor)
  return rows.map((row) => {
    const [projectLevel, groupLevel] = [own.get(row.id) ?? null, above.get(row.namespace_id) ?? null]
    const level = Math.max(projectLevel ?? 0, groupLevel ?? 0)
    const role = { level, projectLevel, groupLevel, permissions: permissions.get(row.id) ?? noPermissions }
    return asReached({ ...row, role }, jobs.get(row.id))
  })
}

/**
 * The group of a project, for a caller who has an ability in it; null for a project of a user.
 * @throws ApiError 403
 */
export async function groupOfProject(
  { database, clock }: Platform,
  project: Project,
  actor: Actor,
  ability: GroupAbility,
): Promise<ProjectOrGroup | null> {
  const row = await namespaceById(database.read, project.namespace_id)
  if (row?.kind !== 'group') return null
  const group = await withLevel(database.read, row, actor, dayOf(clock.now()))
  if (!mayInGroup(actor, group, ability)) throw forbidden()
  return fromGroup(group)
}
