import { sql } from 'kysely'
import type { Reader } from '../../../../infra/database/index.ts'
import { allGroups, isVisibleTo } from '../../../groups/index.ts'
import { openVisibilities, subtreeOf } from '../../../namespaces/index.ts'
import type { ProjectOrGroupRef } from '../../core/twins.ts'
import { type Caller, type Condition, isSelected, isThere, visibleTo } from './conditions.ts'

// Conditions on rows that belong to a project (`project_id`) or a group (`namespace_id`), as labels and milestones do.

/** Rows of this project or group. */
export function belongsTo(table: string, { kind, id }: Pick<ProjectOrGroupRef, 'kind' | 'id'>): Condition {
  return sql<boolean>`${sql.ref(`${table}.${kind === 'project' ? 'project_id' : 'namespace_id'}`)} = ${id}`
}

/** Rows of a group and of the groups above it. */
export function belongsToGroupOrAbove(db: Reader, table: string, groupId: number): Condition {
  const groups = sql`select ancestor_id from namespace_ancestors where namespace_id = ${groupId}`
  return isSelected(db, sql.ref(`${table}.namespace_id`), groups)
}

/** Rows that a project or group has or inherits: its own, and those of the groups above it. */
export function belongsToOrAbove(db: Reader, table: string, parent: ProjectOrGroupRef): Condition {
  const above = belongsToGroupOrAbove(db, table, parent.namespaceId)
  return parent.kind === 'group' ? above : sql<boolean>`(${belongsTo(table, parent)} or ${above})`
}

/** Rows of a group and of the groups below it that the caller may see. */
export function belongsToGroupOrBelow(db: Reader, table: string, groupId: number, caller: Caller): Condition {
  const { actor, roles } = caller
  const viewer = { actor, roles: roles.namespaces, open: openVisibilities(actor) }
  const below = sql<boolean>`namespaces.id in ${subtreeOf(groupId)}`
  const groups = allGroups(db).select('namespaces.id').where(below).where(isVisibleTo(db, viewer))
  return isSelected(db, sql.ref(`${table}.namespace_id`), sql`${groups}`)
}

/** Rows of the projects at any depth below a group that the caller may see. */
export function belongsToProjectBelow(db: Reader, table: string, groupId: number, { actor, roles }: Caller): Condition {
  const below = sql<boolean>`projects.namespace_id in ${subtreeOf(groupId)}`
  const visible = visibleTo(db, actor, roles, 'filters') ?? sql<boolean>`1 = 1`
  const projects = sql`select projects.id from projects where ${below} and ${isThere} and ${visible}`
  return isSelected(db, sql.ref(`${table}.project_id`), projects)
}
