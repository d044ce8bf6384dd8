/** Badges of projects and groups (contract 25, Badges). */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** Small images with a link, of a project (`project_id`) or of a group (`namespace_id`). */
export const badges = table(
  'badges',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    name: t.text().nullable(),
    /** As given, with placeholders. */
    link_url: t.text(),
    image_url: t.text(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    checks: ['(project_id is null) <> (namespace_id is null)'],
    indexes: { project: partial('project_id', 'id'), namespace: partial('namespace_id', 'id') },
  },
)
export type BadgeRow = RowOf<typeof badges>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof badges> {}
}
