import {
  type Actor,
  dayOf,
  notFound,
  type Page,
  type PageRequest,
  pathId,
  recordNotFound,
  type Static,
} from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now, type Tx } from '../../infra/database/index.ts'
import { type KeyPolicy, type KeyRow, refusal, takenFingerprint, titleProblems, type WantedKey } from '../keys/index.ts'
import { isAccessible, mayRename } from './access.ts'
import { holdSame, insertDeployKey, readWanted } from './new-key.ts'
import { type ProjectDeployKey, presentProjectKey } from './present.ts'
import {
  deleteJoin,
  deleteOrphans,
  deployKeyJoin,
  holdKey,
  insertJoin,
  keepProject,
  listProjectKeys,
  projectKey,
  updateJoin,
  updateTitle,
} from './store.ts'

export type ProjectKeyNeeds = {
  database: Database
  clock: Clock
  keyPolicy: KeyPolicy
  /** What else ends when a key no longer opens a project; part of the transaction, while the key is still there. */
  leaving?(tx: Tx, projectId: number, keyId: number): Promise<void>
}

/** A project that a key opens or is to open. */
type Place = { id: number }
type Presented = Static<typeof ProjectDeployKey>

/** What a new key of a project is to be. */
export type WantedProjectKey = WantedKey & { can_push?: boolean }

/** What is to be different; what is not given stays. */
export type KeyChanges = { title?: string; can_push?: boolean }

/** The deploy keys of a project (contract 1.24, 1.26–1.29, x.deploy_key_enable). */
export type ProjectKeys = ReturnType<typeof createProjectKeys>

/** How often a key is looked for anew because somebody else was faster by less than a transaction. */
const attempts = 5
const prefix = 'deploy_key.'

export function createProjectKeys({ database, clock, keyPolicy, leaving }: ProjectKeyNeeds) {
  const db = database.read
  const today = () => dayOf(clock.now())

  async function join(tx: Tx, key: KeyRow, project: Place, canPush: boolean): Promise<Presented> {
    const moment = now(clock)
    const times = { created_at: moment, updated_at: moment }
    await insertJoin(tx, { key_id: key.id, project_id: project.id, can_push: canPush, ...times })
    return presentProjectKey({ ...key, can_push: canPush })
  }

  /** Joins a key that is there already; as it is when it is joined, null when the caller may not have it. */
  async function joinExisting(
    tx: Tx,
    key: KeyRow | null,
    { project, actor, canPush }: { project: Place; actor: Actor; canPush: boolean },
  ): Promise<Presented | null> {
    if (!key) return null
    const joined = await projectKey(tx, project.id, key.id)
    if (joined) return presentProjectKey(joined)
    return (await isAccessible(tx, key, actor, today())) ? join(tx, key, project, canPush) : null
  }

  /** Writes for a project that stays until the write is done. @throws ApiError 404 Project */
  async function writeIn<T>(project: Place, work: (tx: Tx) => Promise<T>): Promise<T> {
    return database.write(async (tx) => {
      if (!(await keepProject(tx, project.id))) throw notFound('Project')
      return work(tx)
    })
  }

  async function addOnce(project: Place, wanted: WantedProjectKey, actor: Actor): Promise<Presented> {
    const { key, problems } = readWanted(wanted, keyPolicy, clock.now())
    const canPush = wanted.can_push ?? false
    return writeIn(project, async (tx) => {
      const same = await holdSame(tx, key)
      const joined = await joinExisting(tx, same, { project, actor, canPush })
      if (joined) return joined
      const all = problems(same !== null)
      if (!key || all.length > 0) throw refusal(all, prefix)
      return join(tx, await insertDeployKey(tx, key, { wanted, isPublic: false, actor, clock }), project, canPush)
    })
  }

  return {
    /** The keys of a project, in the order in which they were joined (contract 1.24). */
    async list(project: Place, page: PageRequest): Promise<Page<Presented>> {
      const found = await listProjectKeys(db, project.id, page)
      return { ...found, items: found.items.map(presentProjectKey) }
    },

    /** @throws ApiError 404 when the key does not open the project (contract 1.26) */
    async get(project: Place, id: string | undefined): Promise<Presented> {
      const row = await projectKey(db, project.id, pathId(id))
      if (!row) throw recordNotFound()
      return presentProjectKey(row)
    },

    /**
     * Joins the key of this text: as it is when it opens the project already, one that is there when the caller may have
     * it, and else a new one (contract 1.27).
     * @throws ApiError 400, form C
     */
    async add(project: Place, wanted: WantedProjectKey, actor: Actor): Promise<Presented> {
      for (let attempt = 1; attempt <= attempts; attempt += 1) {
        try {
          return await addOnce(project, wanted, actor)
        } catch (error) {
          // Somebody else stored the key meanwhile: now it is there to be found.
          if (!isUniqueViolation(error)) throw error
        }
      }
      throw refusal([takenFingerprint], prefix)
    },

    /**
     * Joins a key by its id, to read only (x.deploy_key_enable).
     * @throws ApiError 404 when there is none, or the caller may not have it
     */
    async enable(project: Place, id: string | undefined, actor: Actor): Promise<Presented> {
      const enabled = await writeIn(project, async (tx) =>
        joinExisting(tx, await holdKey(tx, pathId(id)), { project, actor, canPush: false }),
      )
      if (!enabled) throw notFound('Deploy key')
      return enabled
    },

    /**
     * Changes what the key may do in this project, and what it is called where the caller may (contract 1.28).
     * @throws ApiError 400, 404
     */
    async update(project: Place, id: string | undefined, changes: KeyChanges, actor: Actor): Promise<Presented> {
      const { title, can_push: canPush } = changes
      const keyId = pathId(id)
      return database.write(async (tx) => {
        const key = await holdKey(tx, keyId)
        const before = await projectKey(tx, project.id, keyId)
        if (!key || !before) throw recordNotFound()
        const isRenamed = title !== undefined && (await mayRename(tx, key, actor, today()))
        const problems = isRenamed ? titleProblems(title) : []
        if (problems.length > 0) throw refusal(problems, prefix)
        if (isRenamed) await updateTitle(tx, keyId, title)
        await updateJoin(tx, { keyId, projectId: project.id }, { can_push: canPush, updated_at: now(clock) })
        return presentProjectKey({
          ...before,
          title: isRenamed ? title : before.title,
          can_push: canPush ?? before.can_push,
        })
      })
    },

    /**
     * Takes the key from the project; one that opens nothing else goes for good, unless it is public (contract 1.29).
     * @param requireUnmodified throws when the key has changed here since the time that the caller named
     * @throws ApiError 404, 412
     */
    async remove(
      project: Place,
      id: string | undefined,
      requireUnmodified: (updatedAt: string) => void,
    ): Promise<void> {
      const keyId = pathId(id)
      await database.write(async (tx) => {
        await holdKey(tx, keyId)
        const joined = await deployKeyJoin(tx, keyId, project.id)
        if (!joined) throw notFound('Deploy key')
        requireUnmodified(joined.updated_at)
        await leaving?.(tx, project.id, keyId)
        await deleteJoin(tx, joined.id)
        await deleteOrphans(tx, [keyId])
      })
    },
  }
}
