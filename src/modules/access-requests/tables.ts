import type { Generated, Selectable } from 'kysely'

/** A request to join a project or a group: exactly one of the two ids is set. */
export type AccessRequestsTable = {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  user_id: number
  created_at: string
}

export type AccessRequestRow = Selectable<AccessRequestsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    access_requests: AccessRequestsTable
  }
}
