import type { Generated, Selectable } from 'kysely'

/** A membership in a group or in a project: exactly one of the two ids is set. */
export type MembersTable = {
  id: Generated<number>
  namespace_id: number | null
  project_id: number | null
  user_id: number
  access_level: number
  expires_at: string | null
  created_by_id: number | null
  created_at: string
}

/** A group that was invited to another group or to a project, with the level up to which its members count there. */
export type GroupLinksTable = {
  id: Generated<number>
  group_id: number
  namespace_id: number | null
  project_id: number | null
  access_level: number
  expires_at: string | null
  created_at: string
}

export type MemberRow = Selectable<MembersTable>
export type GroupLinkRow = Selectable<GroupLinksTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    members: MembersTable
    group_links: GroupLinksTable
  }
}
