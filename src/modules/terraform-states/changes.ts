import { forbidden, notFound, recordNotFound, type Unmodified } from '../../api/index.ts'
import { claim, DatabaseUnavailable, now, type Tx } from '../../infra/database/index.ts'
import { ObjectError } from '../../infra/objects/index.ts'
import { enqueue, type Platform, react } from '../../platform/index.ts'
import { type Project, projectById, refusesWrites } from '../projects/index.ts'
import { type StoredDocument, storeDocument } from './documents.ts'
import { keyOfDocument, type Place } from './keys.ts'
import { noLock, requireUnlocked } from './locks.ts'
import { removeDocumentsJob } from './removal.ts'
import { holdState, requireName, requireState } from './states.ts'
import * as store from './store.ts'
import type { StateRow } from './tables.ts'

declare module '../../platform/platform.ts' {
  interface Events {
    'terraform_version.stored': { versionId: number }
    'terraform_versions.removed': { versionIds: readonly number[] }
  }
}

/** Deletes a document that has no record any more; where that fails, the sweep does it. */
async function deleteDocument({ objects, log }: Platform, place: Place): Promise<void> {
  try {
    await objects.delete(keyOfDocument(place))
  } catch (error) {
    if (!(error instanceof ObjectError)) throw error
    log.warn({ terraformState: place.secret, err: error }, 'a document is removed later')
  }
}

/** The state that gets a version: a new one, or one that the caller may write. @throws ApiError 403, 404, 409 */
async function writableState(
  { clock }: Platform,
  tx: Tx,
  project: Project,
  { name, lockId }: { name: string; lockId: string | undefined },
): Promise<StateRow> {
  // The project may have changed while the document arrived.
  const row = await projectById(tx, project.id)
  if (!row || row.pending_delete) throw notFound('Project')
  if (refusesWrites(row)) throw forbidden()
  await holdState(tx, project, name)
  const state = await store.stateNamed(tx, project.id, name)
  requireUnlocked(state, lockId)
  const at = now(clock)
  if (state) return (await store.updateState(tx, state.id, { updated_at: at })) ?? state
  return store.insertState(tx, { project_id: project.id, name, ...noLock, created_at: at, updated_at: at })
}

/** Records a document as the newest version. @returns the version of the same serial that it replaces */
async function recordVersion(platform: Platform, tx: Tx, state: StateRow, document: StoredDocument) {
  const former = await store.versionOf(tx, state.id, document.serial)
  if (former) {
    await store.deleteVersion(tx, former.id)
    await react(platform, tx, 'terraform_versions.removed', { versionIds: [former.id] })
  }
  const version = { ...document, state_id: state.id, created_at: now(platform.clock) }
  const { id: versionId } = await store.insertVersion(tx, version)
  await react(platform, tx, 'terraform_version.stored', { versionId })
  return former
}

/**
 * Stores a document as the newest version of a state, which need not be there: first the sealed document, then its record
 * (contract 26, x.tf_state_put).
 * @param given.lockId of the lock under which the caller writes
 * @returns whether there was a document
 * @throws ApiError 400, 403, 404, 409, 413, 422, 507
 */
export async function writeState(
  platform: Platform,
  project: Project,
  given: { name: string; lockId: string | undefined; content: AsyncIterable<Uint8Array>; md5: string | undefined },
): Promise<boolean> {
  const { name, lockId, content, md5 } = given
  requireName(name)
  requireUnlocked(await store.stateNamed(platform.database.read, project.id, name), lockId)
  const document = await storeDocument(platform, project.id, content, md5)
  if (!document) return false
  try {
    const former = await platform.database.write(async (tx) =>
      recordVersion(platform, tx, await writableState(platform, tx, project, { name, lockId }), document),
    )
    if (former) await deleteDocument(platform, former)
    return true
  } catch (error) {
    // Without an answer of the database the record may exist; documents without one are swept.
    if (!(error instanceof DatabaseUnavailable)) await deleteDocument(platform, document)
    throw error
  }
}

/** So many documents are deleted by one job. */
const documentsOfJob = 500

/** Deletes a state with its versions (contract 26, x.tf_state_delete). @throws ApiError 400, 404, 409, 412 */
export async function removeState(
  platform: Platform,
  project: Project,
  { name, lockId, unmodified }: { name: string; lockId: string | undefined; unmodified: Unmodified },
): Promise<void> {
  requireName(name)
  await platform.database.write(async (tx) => {
    await holdState(tx, project, name)
    const state = await claim(tx, 'terraform_states', () => requireState(tx, project, name))
    requireUnlocked(state, lockId)
    unmodified(state.updated_at)
    const versions = await store.versionsOf(tx, state.id)
    await store.deleteState(tx, state.id)
    await react(platform, tx, 'terraform_versions.removed', { versionIds: versions.map(({ id }) => id) })
    for (let at = 0; at < versions.length; at += documentsOfJob) {
      const secrets = versions.slice(at, at + documentsOfJob).map(({ secret }) => secret)
      await enqueue(platform, tx, removeDocumentsJob, { projectId: project.id, secrets })
    }
  })
}

/** Deletes a version of a state (contract 26, x.tf_version_delete). @throws ApiError 400, 404, 412 */
export async function removeVersion(
  platform: Platform,
  project: Project,
  { name, serial, unmodified }: { name: string; serial: number; unmodified: Unmodified },
): Promise<void> {
  requireName(name)
  const version = await platform.database.write(async (tx) => {
    await holdState(tx, project, name)
    const { id } = await requireState(tx, project, name)
    const found = await claim(tx, 'terraform_state_versions', () => store.versionOf(tx, id, serial))
    if (!found) throw recordNotFound()
    unmodified(found.created_at)
    await store.deleteVersion(tx, found.id)
    await react(platform, tx, 'terraform_versions.removed', { versionIds: [found.id] })
    return found
  })
  await deleteDocument(platform, version)
}
