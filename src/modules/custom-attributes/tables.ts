/** Custom attributes of users, groups and projects (contract 20, 21): exactly one of the three ids is set. */
import { partial, type RowOf, type TablesOf, t, table } from '../../infra/database/index.ts'

/** An attribute of a user, a group or a project: exactly one of the three ids is set. */
export const customAttributes = table(
  'custom_attributes',
  {
    id: t.id(),
    user_id: t.refers('users', 'cascade').nullable(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    project_id: t.refers('projects', 'cascade').nullable(),
    key: t.text(),
    value: t.text(),
    created_at: t.time(),
    updated_at: t.time(),
  },
  {
    unique: {
      user: partial('user_id', 'key'),
      namespace: partial('namespace_id', 'key'),
      project: partial('project_id', 'key'),
    },
    indexes: {
      users: {
        on: ['key', { sqlite: 'value', postgres: 'substr(value, 1, 100)' }, 'user_id'],
        where: 'user_id is not null',
      },
      namespaces: {
        on: ['key', { sqlite: 'value', postgres: 'substr(value, 1, 100)' }, 'namespace_id'],
        where: 'namespace_id is not null',
      },
      projects: {
        on: ['key', { sqlite: 'value', postgres: 'substr(value, 1, 100)' }, 'project_id'],
        where: 'project_id is not null',
      },
    },
  },
)

export type CustomAttributeRow = RowOf<typeof customAttributes>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof customAttributes> {}
}
