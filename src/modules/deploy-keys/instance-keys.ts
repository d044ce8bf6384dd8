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
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isUniqueViolation } from '../../infra/database/index.ts'
import { type KeyPolicy, refusal, takenFingerprint, type WantedKey } from '../keys/index.ts'
import { isKnownToExternal, type UserRow, userByIdOrUsername } from '../users/index.ts'
import { maintainedBy, maintainedByCaller } from './access.ts'
import { holdSame, insertDeployKey, readWanted } from './new-key.ts'
import { type DeployKey, type InstanceDeployKey, presentDeployKey, presentInstanceKey } from './present.ts'
import { anyProject, inBoth, listDeployKeys, listKeysOfProjects, projectsOfKeys } from './store.ts'

export type InstanceKeyNeeds = { database: Database; clock: Clock; keyPolicy: KeyPolicy }

/** Deploy keys beyond one project (contract 1.22, 1.23, 1.25). */
export type InstanceKeys = ReturnType<typeof createInstanceKeys>

export function createInstanceKeys({ database, clock, keyPolicy }: InstanceKeyNeeds) {
  const db = database.read

  /** @throws ApiError 404; an external user meets only acquaintances (contract 20 R9) */
  async function visibleUser(text: string | undefined, actor: Actor): Promise<UserRow> {
    const user = await userByIdOrUsername(db, text ?? '')
    if (!user) throw notFound('User')
    const isConfined = actor.kind === 'user' && actor.external && !actor.administrator && actor.userId !== user.id
    if (isConfined && !(await isKnownToExternal(db, user, actor.userId))) throw notFound('User')
    return user
  }

  return {
    /** All deploy keys with the projects that they open (contract 1.22). */
    async list(filter: { publicOnly: boolean }, page: PageRequest): Promise<Page<Static<typeof InstanceDeployKey>>> {
      const found = await listDeployKeys(db, filter, page)
      const ids = found.items.map(({ id }) => id)
      const projects = Map.groupBy(await projectsOfKeys(db, ids), (row) => row.key_id)
      return { ...found, items: found.items.map((row) => presentInstanceKey(row, projects.get(row.id) ?? [])) }
    },

    /**
     * Makes a key that every maintainer may join to a project (contract 1.23).
     * @throws ApiError 400, form C
     */
    async createPublic(wanted: WantedKey, actor: Actor): Promise<Static<typeof InstanceDeployKey>> {
      const { key, problems } = readWanted(wanted, keyPolicy, clock.now())
      try {
        return await database.write(async (tx) => {
          const all = problems((await holdSame(tx, key)) !== null)
          if (!key || all.length > 0) throw refusal(all)
          return presentInstanceKey(await insertDeployKey(tx, key, { wanted, isPublic: true, actor, clock }), [])
        })
      } catch (error) {
        // Somebody else was faster by less than a transaction.
        throw isUniqueViolation(error) ? refusal([takenFingerprint]) : error
      }
    },

    /**
     * The keys of the projects that both the caller and a user maintain (contract 1.25). Of oneself, and of whomever an
     * administrator asks for, these are all that the user maintains by a role.
     * @param user an id or a user name
     * @throws ApiError 404 User, 403 when there is no such project
     */
    async listShared(
      user: string | undefined,
      actor: Actor,
      page: PageRequest,
    ): Promise<Page<Static<typeof DeployKey>>> {
      if (actor.kind !== 'user') throw unauthorized()
      const { id } = await visibleUser(user, actor)
      const today = dayOf(clock.now())
      const theirs = await maintainedBy(db, id, today)
      const own = id === actor.userId ? theirs : await maintainedByCaller(db, actor, today)
      const common = inBoth(theirs, own)
      if (!(await anyProject(db, common))) throw forbidden('No common authorized project found')
      const found = await listKeysOfProjects(db, common, page)
      return { ...found, items: found.items.map(presentDeployKey) }
    },
  }
}
