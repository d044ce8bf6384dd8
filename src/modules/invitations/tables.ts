/** Invitations by e-mail to projects and groups (contract 21, Invitation). */
import { type NewRowOf, partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** An invitation of an address without an account: exactly one of the ids of a project and a group is set. */
export const invitations = table(
  'invitations',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    email: t.text(),
    /** The address in lower case. */
    folded_email: t.text(),
    access_level: t.integer(),
    /** The day on which the membership is to end. */
    expires_at: t.date().nullable(),
    token: t.text(),
    created_by_id: t.refers('users', 'set null').nullable(),
    created_at: t.time(),
    /** The member role of the membership. */
    member_role_id: t.refers('member_roles', 'set null').nullable(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: { project: partial('project_id', 'folded_email'), namespace: partial('namespace_id', 'folded_email') },
    indexes: {
      project_order: partial('project_id', 'id'),
      namespace_order: partial('namespace_id', 'id'),
      email: ['folded_email'],
      created_by: ['created_by_id'],
      expiry: partial('expires_at', 'id'),
      member_role: partial('member_role_id', 'id'),
    },
  },
)

export type InvitationRow = RowOf<typeof invitations>
export type NewInvitation = NewRowOf<typeof invitations>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof invitations> {}
}
