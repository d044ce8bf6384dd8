/** CI/CD variables of groups, of projects, and of the instance, which has neither (contract 03). */
import { type ChangesOf, partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** Variables of groups (`namespace_id`), projects (`project_id`) and the instance (neither). */
export const ciVariables = table(
  'ci_variables',
  {
    id: t.id(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    project_id: t.refers('projects', 'cascade').nullable(),
    key: t.name(),
    /** Name of an environment; `*` is any text. */
    environment_scope: t.name(),
    sealed_value: t.text(),
    variable_type: t.text<'env_var' | 'file'>(),
    protected: t.boolean(),
    masked: t.boolean(),
    /** Whether the value is never shown. */
    hidden: t.boolean(),
    /** Whether references in the value are not expanded. */
    raw: t.boolean(),
    description: t.text().nullable(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: {
      namespace: partial('namespace_id', 'key', 'environment_scope'),
      project: partial('project_id', 'key', 'environment_scope'),
      instance: { on: ['key'], where: 'namespace_id is null and project_id is null' },
    },
    indexes: { namespace_order: partial('namespace_id', 'id'), project_order: partial('project_id', 'id') },
  },
)

export type VariableRow = RowOf<typeof ciVariables>
export type VariableRowChanges = ChangesOf<typeof ciVariables>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof ciVariables> {}
}
