import type { Generated, Insertable, Selectable, Updateable } from 'kysely'

/** Variables of groups (`namespace_id`), projects (`project_id`) and the instance (neither). */
export type CiVariablesTable = {
  id: Generated<number>
  namespace_id: number | null
  project_id: number | null
  key: string
  /** Name of an environment; `*` is any text. */
  environment_scope: string
  sealed_value: string
  variable_type: 'env_var' | 'file'
  protected: boolean
  masked: boolean
  /** Whether the value is never shown. */
  hidden: boolean
  /** Whether references in the value are not expanded. */
  raw: boolean
  description: string | null
  created_at: string
  updated_at: string
}

export type VariableRow = Selectable<CiVariablesTable>
export type NewVariableRow = Insertable<CiVariablesTable>
export type VariableRowChanges = Updateable<CiVariablesTable>

declare module '../../infra/database/tables.ts' {
  interface Tables {
    ci_variables: CiVariablesTable
  }
}
