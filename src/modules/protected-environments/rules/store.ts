import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { countRows, type Reader, rows, within } from '../../../infra/database/index.ts'
import { role } from '../../access/index.ts'
import type { ProjectOrGroupRef } from '../../projects/index.ts'
import {
  deployAccessLevels,
  environmentApprovalRules,
  type ProtectedEnvironmentRow,
  protectedEnvironments,
} from '../tables.ts'

export const {
  insert: insertProtection,
  update: updateProtection,
  remove: removeProtection,
} = rows(protectedEnvironments)

/** The two kinds of entries: who may deploy, and who has to approve. */
export const entryRows = { deploy: rows(deployAccessLevels), approval: rows(environmentApprovalRules) } as const

/** The role, user or group that an entry names: exactly one is set. */
export type Grantee = { access_level: number | null; user_id: number | null; group_id: number | null }

export type Entry = Grantee & { id: number; protected_environment_id: number; group_inheritance_type: number }
export type ApprovalRule = Entry & { required_approvals: number }

/** The entries of one protected environment, by id. */
export type Entries = { deploy: Entry[]; approval: ApprovalRule[] }

const columnOf = ({ kind }: ProjectOrGroupRef) => (kind === 'project' ? 'project_id' : 'namespace_id')

/** A page of what a project or group protects, by name. */
export function pageOfProtections(
  db: Reader,
  owner: ProjectOrGroupRef,
  page: PageRequest,
): Promise<Page<ProtectedEnvironmentRow>> {
  const query = db.selectFrom('protected_environments').selectAll().where(columnOf(owner), '=', owner.id)
  return pageOfRows(db, query.orderBy('name').orderBy('id'), page)
}

/** What a project or group protects under exactly this name. */
export async function protectionNamed(
  db: Reader,
  owner: ProjectOrGroupRef,
  name: string,
): Promise<ProtectedEnvironmentRow | null> {
  const query = db.selectFrom('protected_environments').selectAll().where(columnOf(owner), '=', owner.id)
  return (await query.where('name', '=', name).executeTakeFirst()) ?? null
}

export function countProtections(db: Reader, owner: ProjectOrGroupRef): Promise<number> {
  return countRows(db.selectFrom('protected_environments').where(columnOf(owner), '=', owner.id))
}

/** A rule whose user or group was deleted is for maintainers. */
function withApprover(rule: ApprovalRule): ApprovalRule {
  const isNamed = rule.access_level !== null || rule.user_id !== null || rule.group_id !== null
  return isNamed ? rule : { ...rule, access_level: role.maintainer }
}

/** The entries of protected environments by their ids, in two queries. */
export async function entriesOf(db: Reader, ids: readonly number[]): Promise<(id: number) => Entries> {
  if (ids.length === 0) return () => ({ deploy: [], approval: [] })
  const isOfThese = within(db, 'protected_environment_id', ids)
  const deploy = await db
    .selectFrom('protected_environment_deploy_levels')
    .selectAll()
    .where(isOfThese)
    .orderBy('id')
    .execute()
  const approval = await db
    .selectFrom('protected_environment_approval_rules')
    .selectAll()
    .where(isOfThese)
    .orderBy('id')
    .execute()
  const [levels, rules] = [
    Map.groupBy(deploy, (entry) => entry.protected_environment_id),
    Map.groupBy(approval.map(withApprover), (entry) => entry.protected_environment_id),
  ]
  return (id) => ({ deploy: levels.get(id) ?? [], approval: rules.get(id) ?? [] })
}

/** The names of these users and groups, by id. */
export async function namesOf(db: Reader, { users, groups }: { users: readonly number[]; groups: readonly number[] }) {
  const ofUsers = users.length === 0 ? [] : await namesIn(db, 'users', users)
  const ofGroups = groups.length === 0 ? [] : await namesIn(db, 'namespaces', groups)
  const byId = (found: readonly { id: number; name: string }[]) => new Map(found.map(({ id, name }) => [id, name]))
  return { users: byId(ofUsers), groups: byId(ofGroups) }
}

function namesIn(db: Reader, table: 'users' | 'namespaces', ids: readonly number[]) {
  return db
    .selectFrom(table)
    .select(['id', 'name'])
    .where(within(db, 'id', ids))
    .execute()
}
