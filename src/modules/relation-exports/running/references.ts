import type { ExportedLine } from '../../../platform/index.ts'

/** The members of lines that refer to users. */
const userMembers: ReadonlySet<string> = new Set([
  'assignee_id',
  'author_id',
  'closed_by_id',
  'creator_id',
  'last_edited_by_id',
  'latest_closed_by_id',
  'merge_user_id',
  'merged_by_id',
  'owner_id',
  'resolved_by_id',
  'updated_by_id',
  'user_id',
])

/** Adds the ids of the users to whom a line refers, at any depth. */
export function collectUsers(line: ExportedLine, ids: Set<number>): void {
  for (const [name, value] of Object.entries(line)) {
    if (typeof value === 'number') {
      if (userMembers.has(name)) ids.add(value)
    } else if (Array.isArray(value)) {
      for (const each of value) if (typeof each === 'object' && each !== null) collectUsers(each, ids)
    } else if (typeof value === 'object' && value !== null) collectUsers(value as ExportedLine, ids)
  }
}
