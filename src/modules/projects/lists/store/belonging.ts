import { sql } from 'kysely'
import type { Reader } from '../../../../infra/database/index.ts'
import type { ProjectOrGroupRef } from '../../core/twins.ts'
import { type Condition, isSelected } from './conditions.ts'

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
