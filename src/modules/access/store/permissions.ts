import { prepareQueryOfIds, type Reader } from '../../../infra/database/index.ts'
import { noPermissions, type Permissions } from '../permissions.ts'

/** A membership or an invitation, with the member role that it gives. */
type WithRole = { member_role_id: number | null }

const permissionsByRole = prepareQueryOfIds('id', (db, hasId) =>
  db.selectFrom('member_roles').select(['id', 'permissions']).where(hasId),
)

/** The permissions of member roles by the ids of the roles. */
async function permissionsByIds(db: Reader, rows: readonly WithRole[]): Promise<ReadonlyMap<number, Permissions>> {
  const ids = [...new Set(rows.flatMap(({ member_role_id: id }) => id ?? []))]
  if (ids.length === 0) return new Map()
  return new Map((await permissionsByRole(db, ids, {})).map(({ id, permissions }) => [id, new Set(permissions)]))
}

/** All permissions of these sets. */
export function unitedPermissions(sets: readonly (Permissions | undefined)[]): Permissions {
  const found = sets.filter((set) => set !== undefined)
  const [first] = found
  if (!first) return noPermissions
  return found.length === 1 ? first : new Set(found.flatMap((set) => [...set]))
}

/** The permissions that rows give in one project or group. Without a member role among them there is no query. */
export async function permissionsOf(db: Reader, rows: readonly WithRole[]): Promise<Permissions> {
  return unitedPermissions([...(await permissionsByIds(db, rows)).values()])
}

/** A member role and the namespace or project in which a user has it. */
export type PlacedRole = WithRole & { namespace_id: number | null; project_id: number | null }

/** The permissions of a user by the id of the namespace or project in which they have them; they also hold below it. */
export type OwnPermissions = {
  namespaces: ReadonlyMap<number, Permissions>
  projects: ReadonlyMap<number, Permissions>
}

/** The permissions that rows give; undefined, without a query, when there is no member role among them. */
export async function ownPermissions(db: Reader, rows: readonly PlacedRole[]): Promise<OwnPermissions | undefined> {
  const placed = rows.filter(({ member_role_id: id }) => id !== null)
  if (placed.length === 0) return undefined
  const known = await permissionsByIds(db, placed)
  const placedIn = (column: 'namespace_id' | 'project_id') => {
    const found = new Map<number, Permissions>()
    for (const row of placed) {
      const id = row[column]
      if (id !== null) found.set(id, unitedPermissions([found.get(id), known.get(row.member_role_id ?? 0)]))
    }
    return found
  }
  return { namespaces: placedIn('namespace_id'), projects: placedIn('project_id') }
}
