import {
  invalid,
  lengthProblems,
  notFound,
  type PageRequest,
  pageOfRows,
  refuse,
  taken,
  textProblems,
  type Unmodified,
} from '../../api/index.ts'
import { acquireLock, claim, now } from '../../infra/database/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import {
  insertMemberRole,
  memberRolesAbove,
  memberRolesOf,
  permissionNames,
  removeMemberRole,
} from '../access/index.ts'
import type { Group } from '../groups/index.ts'
import type { NewMemberRole } from './params.ts'
import { presentMemberRole } from './present.ts'
import { isAssigned } from './store.ts'

/** Roles of a group, and of the instance (contract 25.10). */
const mostRoles = 10
const longestName = 255
const longestDescription = 1_048_576
const defaultName = 'Custom'

const tooMany =
  'maximum number of Member Roles are already in use by the group hierarchy. Please delete an existing Member Role.'
const inUse = 'Role is assigned to one or more group members. Remove role from all group members, then delete role.'

/** Whose roles they are: those of a group, or of the instance for null. */
type Owner = Group | null

const idOf = (owner: Owner) => owner?.id ?? null

/** A page of member roles, by id (contract 25, x.member_role_list, x.group_member_role_list). */
export async function listMemberRoles(
  { database: { read } }: Platform,
  owner: Owner,
  { include_inherited: inherits = false }: { include_inherited?: boolean },
  page: PageRequest,
) {
  const query = owner && inherits ? memberRolesAbove(read, owner.id) : memberRolesOf(read, idOf(owner))
  const found = await pageOfRows(read, query.orderBy('id'), page)
  return { ...found, items: found.items.map(presentMemberRole) }
}

/** The permissions of a request. @throws ApiError 400 without any, or with one that needs another */
function permissionsIn(given: NewMemberRole) {
  const permissions = permissionNames.filter((name) => given[name] === true)
  if (permissions.length === 0) {
    throw invalid({ base: ['Cannot create a member role with no enabled permissions'] })
  }
  if (permissions.includes('admin_vulnerability') && !permissions.includes('read_vulnerability')) {
    throw invalid({ base: ['Read vulnerability has to be enabled in order to enable Admin vulnerability'] })
  }
  return permissions
}

/** Adds a member role (contract 25, x.member_role_create, x.group_member_role_create). @throws ApiError 400 */
export async function createMemberRole({ database, clock }: Platform, owner: Owner, given: NewMemberRole, act: Act) {
  const { name = defaultName, description = null, base_access_level } = given
  if (owner && owner.parent_id !== null) throw invalid({ namespace: ['must be top-level namespace'] })
  refuse({
    name: textProblems(name, longestName),
    description: lengthProblems(description ?? '', longestDescription),
  })
  const permissions = JSON.stringify(permissionsIn(given))
  return database.write(async (tx) => {
    await acquireLock(tx, `member_roles:${idOf(owner)}`)
    const existing = await memberRolesOf(tx, idOf(owner)).execute()
    if (existing.some((role) => role.name === name)) throw invalid({ name: [taken] })
    if (existing.length >= mostRoles) throw invalid({ base: [tooMany] })
    const role = { namespace_id: idOf(owner), name, description, base_access_level, permissions }
    const row = await insertMemberRole(tx, { ...role, created_at: now(clock) })
    await act(tx, row.id)
    return presentMemberRole(row)
  })
}

/**
 * Deletes a member role that nothing has (contract 25, x.member_role_delete, x.group_member_role_delete).
 * @throws ApiError 400 while it is assigned, 404; 412 by `unmodified`
 */
export async function deleteMemberRole(
  { database }: Platform,
  owner: Owner,
  id: number,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const find = () => memberRolesOf(tx, idOf(owner)).where('id', '=', id).executeTakeFirst()
    const row = await claim(tx, 'member_roles', find)
    if (!row) throw notFound('Member Role')
    unmodified(row.created_at)
    if (await isAssigned(tx, row.id)) throw invalid({ base: [inUse] })
    await removeMemberRole(tx, row.id)
    await act(tx, row.id)
  })
}
