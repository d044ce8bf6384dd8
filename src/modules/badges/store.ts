import { countRows, type Reader, rows } from '../../infra/database/index.ts'
import type { ExportedLines } from '../../platform/index.ts'
import { isThere, type ProjectCaller, type ProjectOrGroupRef, visibleProjects } from '../projects/index.ts'
import { type BadgeRow, badges } from './tables.ts'

export const { byId: badgeById, insert: insertBadge, update: updateBadgeRow, remove: removeBadge } = rows(badges)

type Owner = Pick<ProjectOrGroupRef, 'kind' | 'id'>

const columnOf = ({ kind }: Pick<Owner, 'kind'>) => (kind === 'project' ? 'project_id' : 'namespace_id')

/** The badges of a project or group itself, by id; there are few. */
export function badgesOf(db: Reader, owner: Owner): Promise<BadgeRow[]> {
  return db.selectFrom('badges').selectAll().where(columnOf(owner), '=', owner.id).orderBy('id').execute()
}

export function countBadges(db: Reader, owner: Owner): Promise<number> {
  return countRows(db.selectFrom('badges').where(columnOf(owner), '=', owner.id))
}

/** The badges of a namespace and of the groups above it: those of the outermost first, each by id. */
export function badgesAbove(db: Reader, namespaceId: number): Promise<BadgeRow[]> {
  return db
    .selectFrom('namespace_ancestors')
    .innerJoin('badges', 'badges.namespace_id', 'namespace_ancestors.ancestor_id')
    .selectAll('badges')
    .where('namespace_ancestors.namespace_id', '=', namespaceId)
    .orderBy('namespace_ancestors.depth', 'desc')
    .orderBy('badges.id')
    .execute()
}

/** Whether a group is a namespace or above it. */
export async function isAtOrAbove(db: Reader, groupId: number, namespaceId: number): Promise<boolean> {
  const query = db.selectFrom('namespace_ancestors').select('depth').where('namespace_id', '=', namespaceId)
  return (await query.where('ancestor_id', '=', groupId).executeTakeFirst()) !== undefined
}

/** The oldest project of a group that a caller sees; null without one. */
export async function oldestProject(db: Reader, groupId: number, caller: ProjectCaller): Promise<number | null> {
  const conditions = [isThere, ...visibleProjects(db, caller, [])]
  const all = db.selectFrom('projects').select('projects.id').where('projects.namespace_id', '=', groupId)
  const seen = conditions.reduce((query, condition) => query.where(condition), all)
  const row = await seen.orderBy('projects.created_at').orderBy('projects.id').limit(1).executeTakeFirst()
  return row?.id ?? null
}

/** The badges of a project (contract 14, project_badges). */
export const exportedProjectBadges: ExportedLines = async function* (_platform, db, { id }) {
  yield exported(await badgesOf(db, { kind: 'project', id }))
}

/** The badges of a group (contract 14, badges). */
export const exportedGroupBadges: ExportedLines = async function* (_platform, db, { id }) {
  yield exported(await badgesOf(db, { kind: 'group', id }))
}

const exported = (found: readonly BadgeRow[]) =>
  found.map(({ name, link_url, image_url, project_id, created_at, updated_at }) => ({
    ...{ name, link_url, image_url, project_id, created_at, updated_at },
    type: project_id === null ? 'GroupBadge' : 'ProjectBadge',
  }))
