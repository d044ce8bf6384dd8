import { type Actor, isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import { inheritedLevels } from '../../access/index.ts'
import { type Caller, type Condition, hasFeature, isMemberOf, isThere, visibleTo } from '../lists/store/conditions.ts'
import { callerRoles } from '../present/facts.ts'
import type { ProjectSettings } from '../settings/settings.ts'
import type { Project } from './access.ts'
import { projectsByIds } from './store.ts'

/** A setting that says who may use a feature. */
type FeatureSetting = Extract<keyof ProjectSettings, `${string}_access_level`>

/** Somebody who asks for what is in many projects, with the roles that decide what they see of it. */
export async function callerOf(db: Reader, actor: Actor, today: string): Promise<Caller> {
  return { actor, roles: await callerRoles(db, actor, today) }
}

/** Conditions on `projects`: those that the caller sees, and in which these features are there for them. */
export function visibleProjects(
  db: Reader,
  { actor, roles }: Caller,
  features: readonly FeatureSetting[],
): Condition[] {
  const isMember = isAdministrator(actor) ? null : isMemberOf(db, roles, 0, 'filters')
  const visible = visibleTo(db, actor, roles, 'filters')
  return [isThere, ...(visible ? [visible] : []), ...features.map((name) => hasFeature(name, isMember))]
}

/** These projects, each with what the caller is in it, in a constant number of queries. */
export async function projectsWithRoles(db: Reader, { roles }: Caller, ids: readonly number[]): Promise<Project[]> {
  const rows = await projectsByIds(db, ids)
  const namespaceIds = rows.map(({ namespace_id }) => namespace_id)
  const above = await inheritedLevels(db, roles.namespaces, namespaceIds)
  return rows.map((row) => {
    const [projectLevel, groupLevel] = [roles.projects.get(row.id) ?? null, above.get(row.namespace_id) ?? null]
    return { ...row, role: { level: Math.max(projectLevel ?? 0, groupLevel ?? 0), projectLevel, groupLevel } }
  })
}
