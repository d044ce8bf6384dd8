import {
  type Actor,
  dayOf,
  forbidden,
  notFound,
  type Page,
  type PageRequest,
  type Static,
  unauthorized,
} from '../../api/index.ts'
import { isUniqueViolation, type Reader } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import { refusal, takenFingerprint, type WantedKey } from '../keys/index.ts'
import { isKnownToExternal, type UserRow, userByIdOrUsername } from '../users/index.ts'
import { maintainedBy, maintainedByCaller } from './access.ts'
import { insertDeployKey, lockSame, readWanted } from './new-key.ts'
import { type DeployKey, type InstanceDeployKey, presentDeployKey, presentInstanceKey } from './present.ts'
import { anyProject, inBoth, listDeployKeys, listKeysOfProjects, projectsOfKeys } from './store.ts'

/** Lists all deploy keys with their projects (contract 1.22). */
export async function listInstanceKeys(
  { database }: Platform,
  filter: { publicOnly: boolean },
  page: PageRequest,
): Promise<Page<Static<typeof InstanceDeployKey>>> {
  const found = await listDeployKeys(database.read, filter, page)
  const ids = found.items.map(({ id }) => id)
  const projects = Map.groupBy(await projectsOfKeys(database.read, ids), (row) => row.key_id)
  return { ...found, items: found.items.map((row) => presentInstanceKey(row, projects.get(row.id) ?? [])) }
}

/**
 * Creates a key that every maintainer may add to a project (contract 1.23).
 * @throws ApiError 400, form C
 */
export async function createPublicKey(
  platform: Platform,
  wanted: WantedKey,
  actor: Actor,
): Promise<Static<typeof InstanceDeployKey>> {
  const { key, problems } = readWanted(wanted, platform.clock.now())
  try {
    return await platform.database.write(async (tx) => {
      const all = problems((await lockSame(tx, key)) !== null)
      if (!key || all.length > 0) throw refusal(all)
      return presentInstanceKey(await insertDeployKey(platform, tx, key, { wanted, isPublic: true, actor }), [])
    })
  } catch (error) {
    // A concurrent request stored the same key.
    throw isUniqueViolation(error) ? refusal([takenFingerprint]) : error
  }
}

/** @throws ApiError 404 User; external users may only learn of users with whom they share a project (contract 20 R9) */
async function visibleUser(db: Reader, text: string, actor: Actor): Promise<UserRow> {
  const user = await userByIdOrUsername(db, text)
  if (!user) throw notFound('User')
  const isConfined = actor.kind === 'user' && actor.external && !actor.administrator && actor.userId !== user.id
  if (isConfined && !(await isKnownToExternal(db, user, actor.userId))) throw notFound('User')
  return user
}

/**
 * Lists the keys of the projects that both the caller and a user maintain (contract 1.25). For the caller's own name, and
 * for administrators, these are all projects that the user maintains by a role.
 * @param user an id or a user name
 * @throws ApiError 404 User, 403 when there is no such project
 */
export async function listSharedKeys(
  { database, clock }: Platform,
  user: string,
  actor: Actor,
  page: PageRequest,
): Promise<Page<Static<typeof DeployKey>>> {
  if (actor.kind !== 'user') throw unauthorized()
  const db = database.read
  const { id } = await visibleUser(db, user, actor)
  const today = dayOf(clock.now())
  const theirs = await maintainedBy(db, id, today)
  const own = id === actor.userId ? theirs : await maintainedByCaller(db, actor, today)
  const common = inBoth(theirs, own)
  if (!(await anyProject(db, common))) throw forbidden('No common authorized project found')
  const found = await listKeysOfProjects(db, common, page)
  return { ...found, items: found.items.map(presentDeployKey) }
}
