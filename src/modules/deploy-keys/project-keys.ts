import {
  type Actor,
  dayOf,
  notFound,
  type PageRequest,
  recordNotFound,
  type Static,
  type Unmodified,
} from '../../api/index.ts'
import { isUniqueViolation, now, type Tx } from '../../infra/database/index.ts'
import { type Act, type Platform, react } from '../../platform/index.ts'
import { type KeyRow, readNewKey, refusal, renameKey, takenFingerprint, titleProblems } from '../keys/index.ts'
import { isAccessible, mayRename } from './access.ts'
import { insertDeployKey, lockSame } from './new-key.ts'
import type { KeyChanges, NewProjectKey } from './params.ts'
import { ProjectDeployKey } from './present.ts'
import {
  deleteJoin,
  deleteOrphans,
  deployKeyJoin,
  insertJoin,
  listProjectKeys,
  lockKey,
  lockProject,
  projectKey,
  updateJoin,
} from './store.ts'

type OfProject = { id: number }
/** Who asks, and the record of it. */
type By = { actor: Actor; act: Act }
type Presented = Static<typeof ProjectDeployKey>
type Join = { project: OfProject; actor: Actor; canPush: boolean; act: Act }

/** Attempts to store a key while concurrent requests store the same one. */
const attempts = 5
const prefix = 'deploy_key.'

async function join({ clock }: Platform, tx: Tx, key: KeyRow, { project, canPush, act }: Join): Promise<Presented> {
  const moment = now(clock)
  const times = { created_at: moment, updated_at: moment }
  await insertJoin(tx, { key_id: key.id, project_id: project.id, can_push: canPush, ...times })
  await act(tx, key.id)
  return ProjectDeployKey.present({ ...key, can_push: canPush })
}

/** Joins an existing key, unchanged when it is joined already; null when the caller may not use it. */
async function joinExisting(platform: Platform, tx: Tx, key: KeyRow | null, wanted: Join): Promise<Presented | null> {
  if (!key) return null
  const joined = await projectKey(tx, wanted.project.id, key.id)
  if (joined) return ProjectDeployKey.present(joined)
  const isUsable = await isAccessible(tx, key, wanted.actor, dayOf(platform.clock.now()))
  return isUsable ? join(platform, tx, key, wanted) : null
}

/** Writes while the project is locked against removal. @throws ApiError 404 Project */
async function writeIn<T>({ database }: Platform, project: OfProject, work: (tx: Tx) => Promise<T>): Promise<T> {
  return database.write(async (tx) => {
    if (!(await lockProject(tx, project.id))) throw notFound('Project')
    return work(tx)
  })
}

async function addOnce(platform: Platform, project: OfProject, wanted: NewProjectKey, by: By) {
  const settings = await platform.settings.current()
  const { key, problems } = readNewKey(wanted, platform.clock.now(), settings, { isDeployKey: true })
  const wantedJoin = { project, ...by, canPush: wanted.can_push ?? false }
  return writeIn(platform, project, async (tx) => {
    const same = await lockSame(tx, key)
    const joined = await joinExisting(platform, tx, same, wantedJoin)
    if (joined) return joined
    const all = problems(same !== null)
    if (!key || all.length > 0) throw refusal(all, prefix)
    const row = await insertDeployKey(platform, tx, key, { wanted, isPublic: false, actor: by.actor })
    return join(platform, tx, row, wantedJoin)
  })
}

/** Lists the keys of a project in the order in which they were added (contract 1.24). */
export async function listKeys({ database }: Platform, project: OfProject, page: PageRequest) {
  const found = await listProjectKeys(database.read, project.id, page)
  return { ...found, items: found.items.map((row) => ProjectDeployKey.present(row)) }
}

/** @throws ApiError 404 when the project does not have the key (contract 1.26) */
export async function getKey({ database }: Platform, project: OfProject, id: number): Promise<Presented> {
  const row = await projectKey(database.read, project.id, id)
  if (!row) throw recordNotFound()
  return ProjectDeployKey.present(row)
}

/**
 * Adds a key to a project (contract 1.27): an existing key with the same text when the caller may use it, or a new one.
 * Returns a key unchanged that the project already has.
 * @throws ApiError 400, form C
 */
export async function addKey(platform: Platform, project: OfProject, wanted: NewProjectKey, by: By) {
  for (let attempt = 1; attempt <= attempts; attempt += 1) {
    try {
      return await addOnce(platform, project, wanted, by)
    } catch (error) {
      // A concurrent request stored the same key: the next attempt finds it.
      if (!isUniqueViolation(error)) throw error
    }
  }
  throw refusal([takenFingerprint], prefix)
}

/**
 * Adds an existing key to a project, read-only (x.deploy_key_enable).
 * @throws ApiError 404 when there is none or the caller may not use it
 */
export async function enableKey(platform: Platform, project: OfProject, id: number, by: By): Promise<Presented> {
  const enabled = await writeIn(platform, project, async (tx) =>
    joinExisting(platform, tx, await lockKey(tx, id), { project, ...by, canPush: false }),
  )
  if (!enabled) throw notFound('Deploy key')
  return enabled
}

/**
 * Changes whether the key may push to this project, and its title where the caller may (contract 1.28).
 * @throws ApiError 400, 404
 */
export async function updateKey(
  { database, clock }: Platform,
  project: OfProject,
  id: number,
  { title, can_push }: KeyChanges,
  { actor, act }: By,
): Promise<Presented> {
  return database.write(async (tx) => {
    const key = await lockKey(tx, id)
    const before = await projectKey(tx, project.id, id)
    if (!key || !before) throw recordNotFound()
    const isRenamed = title !== undefined && (await mayRename(tx, key, actor, dayOf(clock.now())))
    const problems = isRenamed ? titleProblems(title) : []
    if (problems.length > 0) throw refusal(problems, prefix)
    if (isRenamed) await renameKey(tx, id, title)
    await updateJoin(tx, { keyId: id, projectId: project.id }, { can_push, updated_at: now(clock) })
    await act(tx, id)
    const after = { title: isRenamed ? title : before.title, can_push: can_push ?? before.can_push }
    return ProjectDeployKey.present({ ...before, ...after })
  })
}

/**
 * Removes a key from a project, and deletes it when no other project has it and it is not public (contract 1.29).
 * @throws ApiError 404, 412
 */
export async function removeKey(
  platform: Platform,
  project: OfProject,
  keyId: number,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await platform.database.write(async (tx) => {
    await lockKey(tx, keyId)
    const joined = await deployKeyJoin(tx, keyId, project.id)
    if (!joined) throw notFound('Deploy key')
    unmodified(joined.updated_at)
    await react(platform, tx, 'deploy_key.removed', { projectId: project.id, keyId })
    await deleteJoin(tx, joined.id)
    await deleteOrphans(tx, [keyId])
    await act(tx, keyId)
  })
}
