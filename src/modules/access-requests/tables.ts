/** Users who ask to join a project or a group (contract 11), the oldest request first. */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** A request to join a project or a group: exactly one of the two ids is set. */
export const accessRequests = table(
  'access_requests',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    user_id: t.refers('users', 'cascade'),
    created_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    unique: { project: partial('project_id', 'user_id'), namespace: partial('namespace_id', 'user_id') },
    indexes: {
      project_order: partial('project_id', 'created_at', 'id'),
      namespace_order: partial('namespace_id', 'created_at', 'id'),
      user: ['user_id'],
    },
  },
)

export type AccessRequestRow = RowOf<typeof accessRequests>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof accessRequests> {}
}
