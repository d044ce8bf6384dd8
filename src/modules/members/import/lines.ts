import { dayOf, isAdministrator } from '../../../api/index.ts'
import type { Tx } from '../../../infra/database/index.ts'
import {
  BadLine,
  dateOf,
  type ImportedLine,
  type Importing,
  type ImportLine,
  integerOf,
  lineOf,
  timesOf,
} from '../../../platform/index.ts'
import { insertMembers, memberLevels, role, roleInGroup, roleInProject } from '../../access/index.ts'

/** The level of the importer in the project or group. */
async function levelOf(tx: Tx, { kind, id, namespaceId, importer }: Importing, today: string): Promise<number> {
  if (isAdministrator(importer)) return role.owner
  if (kind === 'group') return roleInGroup(tx, importer.userId, id, today)
  return (await roleInProject(tx, importer.userId, { id, namespace_id: namespaceId }, today)).level
}

/** The user whom a member is; null when they were not found, or were invited by mail. @throws BadLine */
function memberOf({ users }: Importing, line: ImportedLine): number | null {
  const user = lineOf(line, 'user') ?? {}
  const id = integerOf(user, 'id') ?? integerOf(line, 'user_id')
  return id === null ? null : users.localId(id)
}

/**
 * Imports a member of a project or group, where the importer is an Owner of it: at most with the importer's own level (contract 25, What
 * an import makes). Raises no events, so no mail or hook follows.
 */
export const importMember: ImportLine = async ({ clock }, into, line) => {
  const level = memberLevels.find((one) => one === line.access_level)
  if (level === undefined) throw new BadLine('access_level is invalid')
  const userId = memberOf(into, line)
  const expires_at = dateOf(line, 'expires_at')
  const { created_at } = timesOf(line)
  const today = dayOf(clock.now())
  return async (tx) => {
    if (userId === null || userId === into.importer.userId || (expires_at !== null && expires_at <= today)) return
    const own = await levelOf(tx, into, today)
    if (own < role.owner) return
    const row = { user_id: userId, access_level: Math.min(level, own), expires_at, created_at }
    await insertMembers(tx, into, [{ ...row, created_by_id: into.importer.userId }])
  }
}
