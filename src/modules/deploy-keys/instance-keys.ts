import { type Actor, dayOf, forbidden, type PageRequest, requireSignedIn } from '../../api/index.ts'
import { isUniqueViolation } from '../../infra/database/index.ts'
import type { Act, Platform } from '../../platform/index.ts'
import { readNewKey, refusal, takenFingerprint, type WantedKey } from '../keys/index.ts'
import { requireVisibleUser } from '../users/index.ts'
import { maintainedBy, maintainedByCaller } from './access.ts'
import { insertDeployKey, lockSame } from './new-key.ts'
import { DeployKey, InstanceDeployKey } from './present.ts'
import { anyProject, everyProject, inBoth, listDeployKeys, listKeysOfProjects, projectsOfKeys } from './store.ts'

/** Lists all deploy keys with their projects (contract 1.22). */
export async function listInstanceKeys({ database }: Platform, filter: { publicOnly: boolean }, page: PageRequest) {
  const found = await listDeployKeys(database.read, filter, page)
  const ids = found.items.map(({ id }) => id)
  const projects = Map.groupBy(await projectsOfKeys(database.read, ids), (row) => row.key_id)
  return {
    ...found,
    items: found.items.map((row) => InstanceDeployKey.present({ ...row, projects: projects.get(row.id) ?? [] })),
  }
}

/**
 * Creates a key that every maintainer may add to a project (contract 1.23).
 * @throws ApiError 400, form C
 */
export async function createPublicKey(
  platform: Platform,
  wanted: WantedKey,
  { actor, act }: { actor: Actor; act: Act },
) {
  const settings = await platform.settings.current()
  const { key, problems } = readNewKey(wanted, platform.clock.now(), settings, { isDeployKey: true })
  try {
    return await platform.database.write(async (tx) => {
      const all = problems((await lockSame(tx, key)) !== null)
      if (!key || all.length > 0) throw refusal(all)
      const added = await insertDeployKey(platform, tx, key, { wanted, isPublic: true, actor })
      await act(tx, added.id)
      return InstanceDeployKey.present({ ...added, projects: [] })
    })
  } catch (error) {
    // A concurrent request stored the same key.
    throw isUniqueViolation(error) ? refusal([takenFingerprint]) : error
  }
}

/**
 * Lists the keys of the projects that both the caller and a user maintain (contract 1.25). For the caller's own name, and
 * for administrators, these are all projects that the user maintains by a role.
 * @param user an id or a user name
 * @throws ApiError 404 User, 403 when there is no such project
 */
export async function listSharedKeys(platform: Platform, user: string, actor: Actor, page: PageRequest) {
  const { database, clock } = platform
  const { userId } = requireSignedIn(actor)
  const db = database.read
  const { id } = await requireVisibleUser(platform, user, actor)
  const today = dayOf(clock.now())
  const theirs = await maintainedBy(db, id, today)
  const own = id === userId ? null : await maintainedByCaller(db, actor, today)
  const common = inBoth(theirs.condition, own?.condition ?? everyProject)
  const each = inBoth(theirs.each, own?.each ?? everyProject)
  if (!(await anyProject(db, common))) throw forbidden('No common authorized project found')
  const found = await listKeysOfProjects(db, { condition: common, each, isMany: theirs.isMany }, page)
  return { ...found, items: found.items.map((row) => DeployKey.present(row)) }
}
