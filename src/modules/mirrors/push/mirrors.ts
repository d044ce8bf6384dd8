import { failure, invalid, notFound, type PageRequest, recordNotFound } from '../../../api/index.ts'
import { claim, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { newKeys, readAddress, sealAddress, shownAddress } from '../address.ts'
import { chosenBranches } from '../branch-filter.ts'
import { presentRemoteMirror } from '../present.ts'
import { runNow } from '../schedule.ts'
import type { RemoteMirrorRow } from '../tables.ts'
import type { MirrorChanges, NewMirror } from './params.ts'
import * as store from './store.ts'

type Project = { id: number }

const table = 'remote_mirrors'
/** The maximal number of push mirrors of a project: every push updates all of them. */
const maximumMirrors = 20

function columnsOf({ only_protected_branches, mirror_branch_regex, ...others }: MirrorChanges) {
  const branches = chosenBranches(only_protected_branches, mirror_branch_regex, 'only_protected_branches')
  return {
    ...others,
    ...(branches.onlyProtected === undefined ? {} : { only_protected_branches: branches.onlyProtected }),
    ...(branches.pattern === undefined ? {} : { mirror_branch_regex: branches.pattern }),
  }
}

async function requireMirror(db: Reader, project: Project, id: number): Promise<RemoteMirrorRow> {
  const row = await store.remoteMirrorOf(db, project.id, id)
  if (!row) throw recordNotFound()
  return row
}

async function runAndPresent(platform: Platform, tx: Tx, project: Project, id: number) {
  await runNow(platform, tx, table, [id])
  return presentRemoteMirror(await requireMirror(tx, project, id))
}

/** A page of the push mirrors of a project (contract 22, x.rmirror_list). */
export async function listPushMirrors({ database }: Platform, project: Project, page: PageRequest) {
  const found = await store.pageOfRemoteMirrors(database.read, project.id, page)
  return { ...found, items: found.items.map(presentRemoteMirror) }
}

/** Gets a push mirror (contract 22, x.rmirror_get). @throws ApiError 404 */
export async function getPushMirror({ database }: Platform, project: Project, id: number) {
  return presentRemoteMirror(await requireMirror(database.read, project, id))
}

/** Creates a push mirror; an enabled one runs at once (contract 22, x.rmirror_create). @throws ApiError 400 */
export async function createPushMirror(platform: Platform, project: Project, { url, ...values }: NewMirror) {
  const columns = columnsOf(values)
  const address = await readAddress(platform, url)
  if (typeof address === 'string') throw invalid({ url: [address] })
  const sealed_url = await sealAddress(platform, address, project.id)
  const keys = values.auth_method === 'ssh_public_key' ? await newKeys(platform, project.id) : {}
  return platform.database.write(async (tx) => {
    if ((await store.countRemoteMirrors(tx, project.id)) >= maximumMirrors) {
      throw invalid({ base: [`Maximum number of remote mirrors (${maximumMirrors}) exceeded`] })
    }
    const moment = now(platform.clock)
    const row = await store.insertRemoteMirror(tx, {
      ...{ project_id: project.id, url: shownAddress(address), sealed_url, ...columns, ...keys },
      ...{ created_at: moment, updated_at: moment },
    })
    return row.enabled ? runAndPresent(platform, tx, project, row.id) : presentRemoteMirror(row)
  })
}

/** Gets the public key of a push mirror that signs in with one (contract 26.18, x.rmirror_public_key). @throws ApiError 404 */
export async function publicKeyOf({ database }: Platform, project: Project, id: number) {
  const { auth_method: method, public_key } = await requireMirror(database.read, project, id)
  if (method !== 'ssh_public_key' || public_key === null) throw notFound()
  return { public_key }
}

/**
 * Changes a push mirror; one that becomes enabled runs at once (contract 22, x.rmirror_update). One that is to sign in with a key
 * gets a pair unless it has one.
 * @throws ApiError 400, 404
 */
export async function updatePushMirror(platform: Platform, project: Project, id: number, changes: MirrorChanges) {
  const known = await requireMirror(platform.database.read, project, id)
  const needsKeys = known.public_key === null && (changes.auth_method ?? known.auth_method) === 'ssh_public_key'
  const keys = needsKeys ? await newKeys(platform, project.id) : {}
  return platform.database.write(async (tx) => {
    await store.holdRemoteMirrors(tx, project.id)
    const before = await requireMirror(tx, project, id)
    const added = before.public_key === null ? keys : {}
    const columns = { ...columnsOf(changes), ...added, updated_at: now(platform.clock) }
    const after = await store.updateRemoteMirror(tx, before.id, columns)
    if (!after) throw recordNotFound()
    const starts = after.enabled && !before.enabled
    return starts ? runAndPresent(platform, tx, project, after.id) : presentRemoteMirror(after)
  })
}

/** Deletes a push mirror (contract 22, x.rmirror_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deletePushMirror(
  { database }: Platform,
  project: Project,
  id: number,
  unmodified: (updatedAt: string) => void,
): Promise<void> {
  await database.write(async (tx) => {
    const row = await claim(tx, 'remote_mirrors', () => requireMirror(tx, project, id))
    unmodified(row.updated_at)
    await store.deleteRemoteMirror(tx, row.id)
  })
}

/** Runs a push mirror now, without the pause after the last run (contract 22, x.rmirror_sync). @throws ApiError 400, 404 */
export async function syncPushMirror(platform: Platform, project: Project, id: number): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await requireMirror(tx, project, id)
    if (!row.enabled) throw failure(400, 'Cannot proceed with the push mirroring. The mirror is disabled')
    await runNow(platform, tx, table, [row.id])
  })
}
