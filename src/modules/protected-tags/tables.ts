import { type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** A rule that protects tags of a project (contract 01). Its list is stored by the module of protected branches. */
export const protectedTags = table(
  'protected_tags',
  {
    id: t.id(),
    project_id: t.refers('projects', 'cascade'),
    /** A tag name; `*` matches any run of characters. */
    name: t.name(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: { project: ['project_id', 'name'] },
  },
)

export type ProtectedTagRow = RowOf<typeof protectedTags>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof protectedTags> {}
}
