import type { Generated, Selectable } from 'kysely'

/** A rule that protects tags of a project (contract 01). Its list is stored by the module of protected branches. */
export type ProtectedTagsTable = {
  id: Generated<number>
  project_id: number
  /** A tag name; `*` matches any run of characters. */
  name: string
  created_at: string
  updated_at: string
}

export type ProtectedTagRow = Selectable<ProtectedTagsTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    protected_tags: ProtectedTagsTable
  }
}
