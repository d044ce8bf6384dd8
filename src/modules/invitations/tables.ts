import type { Generated, Insertable, Selectable } from 'kysely'

/** An invitation of an address without an account: exactly one of the ids of a project and a group is set. */
export type InvitationsTable = {
  id: Generated<number>
  project_id: number | null
  namespace_id: number | null
  email: string
  /** The address in lower case. */
  folded_email: string
  access_level: number
  /** The day on which the membership is to end. */
  expires_at: string | null
  token: string
  created_by_id: number | null
  created_at: string
}

export type InvitationRow = Selectable<InvitationsTable>
export type NewInvitation = Insertable<InvitationsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    invitations: InvitationsTable
  }
}
