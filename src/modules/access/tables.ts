/** Members of groups and projects, shares of groups and projects with groups (contract 21), and member roles (contract 25). */
import { partial, type RowOf, type TableOf, type TablesOf, t, table } from '../../infra/database/index.ts'
import type { Permission } from './permissions.ts'

/** A role that adds permissions to a level: of a top-level group, or of the instance where it has no namespace. */
export const memberRoles = table(
  'member_roles',
  {
    id: t.id(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    name: t.text(),
    description: t.text().nullable(),
    base_access_level: t.integer(),
    /** Names of permissions (`permissions.ts`), in their order. */
    permissions: t.json<readonly Permission[]>(),
    created_at: t.time(),
  },
  { unique: { namespace_name: partial('namespace_id', 'name') }, indexes: { order: ['namespace_id', 'id'] } },
)

/** A membership in a group or in a project: exactly one of the two ids is set. */
export const members = table(
  'members',
  {
    id: t.id(),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    project_id: t.refers('projects', 'cascade').nullable(),
    user_id: t.refers('users', 'cascade'),
    access_level: t.integer(),
    expires_at: t.date().nullable(),
    created_by_id: t.refers('users', 'set null').nullable(),
    created_at: t.time(),
    member_role_id: t.refers('member_roles', 'set null').nullable(),
  },
  {
    checks: ['(namespace_id is null) <> (project_id is null)'],
    unique: { namespace: partial('namespace_id', 'user_id'), project: partial('project_id', 'user_id') },
    indexes: {
      // With all columns that decide about the roles of a user, so that their rows are not read.
      user: ['user_id', 'access_level', 'namespace_id', 'project_id', 'expires_at'],
      created_by: ['created_by_id'],
      expiry: partial('expires_at', 'id'),
      member_role: partial('member_role_id', 'id'),
      user_with_role: { on: ['user_id'], where: 'member_role_id is not null' },
    },
  },
)
export type MembersTable = TableOf<typeof members>

/**
 * A group that was invited to another group or to a project, with the level up to which its members count there, and perhaps a role
 * for those who reach that level.
 */
export const groupLinks = table(
  'group_links',
  {
    id: t.id(),
    group_id: t.refers('namespaces', 'cascade'),
    namespace_id: t.refers('namespaces', 'cascade').nullable(),
    project_id: t.refers('projects', 'cascade').nullable(),
    access_level: t.integer(),
    expires_at: t.date().nullable(),
    created_at: t.time(),
    member_role_id: t.refers('member_roles', 'set null').nullable(),
  },
  {
    checks: ['(namespace_id is null) <> (project_id is null)'],
    unique: { namespace: partial('namespace_id', 'group_id'), project: partial('project_id', 'group_id') },
    indexes: {
      group: ['group_id'],
      expiry: partial('expires_at', 'id'),
      member_role: partial('member_role_id', 'id'),
    },
  },
)

export type MemberRoleRow = RowOf<typeof memberRoles>
export type MemberRow = RowOf<typeof members>
export type GroupLinkRow = RowOf<typeof groupLinks>

declare module '../../infra/database/tables.ts' {
  interface Tables extends TablesOf<typeof memberRoles | typeof members | typeof groupLinks> {}
}
