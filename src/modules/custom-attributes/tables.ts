import type { Generated, Selectable } from 'kysely'

/** An attribute of a user, a group or a project: exactly one of the three ids is set. */
export type CustomAttributesTable = {
  id: Generated<number>
  user_id: number | null
  namespace_id: number | null
  project_id: number | null
  key: string
  value: string
  created_at: string
  updated_at: string
}

export type CustomAttributeRow = Selectable<CustomAttributesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    custom_attributes: CustomAttributesTable
  }
}
