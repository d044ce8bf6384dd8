import { forbidden, notFound, type UserActor } from '../../../api/index.ts'
import { DatabaseUnavailable, now, type Tx } from '../../../infra/database/index.ts'
import { parseStorageKey } from '../../../infra/objects/index.ts'
import { limited } from '../../../infra/streams/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { repositoryOfProject } from '../../../platform/repositories/index.ts'
import { jobById } from '../../pipelines/index.ts'
import { projectById, refusesWrites } from '../../projects/index.ts'
import { actorOf } from '../access/callers.ts'
import { fileTooLarge, packageProtected } from '../access/problems.ts'
import { hasPackages } from '../access/rights.ts'
import type { ServedProject } from '../access/subjects.ts'
import * as core from '../core/store.ts'
import type { PackageType, StoredStatus } from '../core/words.ts'
import { discardContent, type Received, receiveContent } from '../files/received.ts'
import { blobBySha256, holdBlob, insertFileRow, moveBlob, newestFile, type StoredFile } from '../files/store.ts'
import { isProtected } from '../protection/rules.ts'
import type { PackageBlobRow, PackageRow } from '../tables.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /** Bytes of files of packages were stored. */
    'package_blobs.stored': { blobIds: readonly number[] }
    'package_blobs.removed': { blobIds: readonly number[] }
  }
}

/** Where a file is published. */
export type Target = {
  type: PackageType
  name: string
  /** By which names are compared, where it is not the name. */
  nameKey?: string
  /** Empty for a package without a version. */
  version: string
  fileName: string
  /** The status that the package gets; without it a new one gets `default`. */
  status?: Extract<StoredStatus, 'default' | 'hidden'> | undefined
}

/** A published file. */
export type Published = { found: PackageRow; file: StoredFile; isNew: boolean }

/** What a format decides about a file. */
export type Publishing = {
  /** Checks the package in the transaction, under its lock, before the file is recorded; what it throws refuses the file. */
  admit?: (tx: Tx, held: { found: PackageRow; isNew: boolean }) => Promise<void>
  /** Records what else the format keeps, in the same transaction. */
  record?: (tx: Tx, published: Published) => Promise<void>
}

export const identityOf = ({ type, name, nameKey = name, version }: Target): core.Identity => ({
  type,
  nameKey,
  version,
})

/** @throws ApiError 403 while the repositories of the project are moved */
export async function requireAtRest(platform: Platform, projectId: number): Promise<void> {
  if ((await repositoryOfProject(platform.database.read, projectId))?.read_only) throw forbidden()
}

/**
 * What can be checked before a file is received: protection, and whether the project is being moved. Formats with duplicates check
 * these besides (`requireNoDuplicate`).
 * @throws ApiError 403
 */
export async function requirePublishable(
  platform: Platform,
  served: ServedProject,
  { type, name }: Target,
): Promise<void> {
  await requireAtRest(platform, served.project.id)
  if (await isProtected(platform, served.project, actorOf(served.caller), { type, name, action: 'push' })) {
    throw packageProtected()
  }
}

/** The pipeline of the job whose token the caller has sent. */
async function pipelineOf({ database }: Platform, { caller }: ServedProject): Promise<number | null> {
  if (caller.kind !== 'user' || caller.actor.credential.kind !== 'job') return null
  const job = await jobById(database.read, caller.actor.credential.id ?? 0)
  return job?.pipeline_id ?? null
}

const creatorOf = ({ caller }: ServedProject): UserActor['userId'] | null =>
  caller.kind === 'user' ? caller.actor.userId : null

/** The project may have changed while the content arrived. @throws ApiError 403, 404 */
async function requireStillOpen(tx: Tx, projectId: number): Promise<void> {
  const row = await projectById(tx, projectId)
  if (!row || row.pending_delete) throw notFound('Project')
  if (refusesWrites(row) || !hasPackages(row)) throw forbidden()
}

type Recording = Publishing & { target: Target; received: Received; lostKey: string | null; pipelineId: number | null }

/** Gives the bytes a row, which is that of the same bytes where there is one. @returns whether the stored bytes are needed */
async function recordBytes(
  platform: Platform,
  tx: Tx,
  { received, lostKey }: Recording,
): Promise<[PackageBlobRow, boolean]> {
  const blob = await holdBlob(tx, received, now(platform.clock))
  await react(platform, tx, 'package_blobs.stored', { blobIds: [blob.id] })
  if (blob.storage_key === received.key) return [blob, true]
  if (blob.storage_key !== lostKey) return [blob, false]
  // The upload restores bytes that were missing.
  await moveBlob(tx, blob.id, received.key)
  return [blob, true]
}

async function recordFile(platform: Platform, tx: Tx, served: ServedProject, recording: Recording) {
  const { target, received, pipelineId } = recording
  const moment = now(platform.clock)
  const { id: projectId } = served.project
  await requireStillOpen(tx, projectId)
  const { type, name, version, fileName } = target
  const identity = identityOf(target)
  const held = await core.holdPackage(tx, {
    ...{ project_id: projectId, package_type: type, name, name_key: identity.nameKey, version },
    ...{ status: target.status ?? 'default', creator_id: creatorOf(served), created_at: moment, updated_at: moment },
  })
  await recording.admit?.(tx, held)
  const [blob, isNeeded] = await recordBytes(platform, tx, recording)
  await insertFileRow(tx, {
    ...{ package_id: held.found.id, blob_id: blob.id, file_name: fileName },
    ...{ pipeline_id: pipelineId, created_at: moment },
  })
  const found = await core.addSize(tx, held.found.id, received.sizeBytes, moment)
  const changed = target.status && found.status !== target.status && { status: target.status }
  const shown = changed ? ((await core.updatePackage(tx, found.id, changed)) ?? found) : found
  if (pipelineId !== null) await core.linkPipeline(tx, found.id, pipelineId, moment)
  await core.renewGeneration(tx, found)
  const file = await newestFile(tx, found.id, fileName)
  if (!file) throw new Error(`the file ${fileName} of package ${found.id} was not recorded`)
  const published = { found: shown, file, isNew: held.isNew }
  await recording.record?.(tx, published)
  return { published, isNeeded }
}

/**
 * Publishes bytes that are stored already. They are deleted when they are refused, or when the same bytes are stored.
 * @throws ApiError 400, 403, 404; what the format throws
 */
export async function publishReceived(
  platform: Platform,
  served: ServedProject,
  target: Target,
  received: Received,
  publishing: Publishing,
): Promise<Published> {
  const { objects, database } = platform
  const discard = () => discardContent(platform, received)
  try {
    const known = await blobBySha256(database.read, received.sha256)
    const isStored = known && (await objects.head(parseStorageKey(known.storage_key)))?.sizeBytes === known.size_bytes
    const lostKey = known && !isStored ? known.storage_key : null
    const pipelineId = await pipelineOf(platform, served)
    const recording = { ...publishing, target, received, lostKey, pipelineId }
    const { published, isNeeded } = await database.write((tx) => recordFile(platform, tx, served, recording))
    if (!isNeeded) await discard()
    return published
  } catch (error) {
    // If the outcome of the commit is unknown, the clean-up removes bytes without a row.
    if (!(error instanceof DatabaseUnavailable)) await discard()
    throw error
  }
}

/**
 * Publishes a file: its bytes are stored while they arrive, then one transaction makes the package, the file, the link
 * to the pipeline and the sizes (contract 23 R7). Of a refused or broken upload nothing remains.
 * @param publishing.maximumBytes the largest size; 0: no limit
 * @throws ApiError 400, 403, 404, 503, 507; what the format throws
 */
export async function publishFile(
  platform: Platform,
  served: ServedProject,
  target: Target,
  content: AsyncIterable<Uint8Array>,
  { maximumBytes, ...publishing }: Publishing & { maximumBytes: number },
): Promise<Published> {
  await requirePublishable(platform, served, target)
  const received = await receiveContent(platform, limited(content, maximumBytes, fileTooLarge))
  return publishReceived(platform, served, target, received, publishing)
}
