import { Readable } from 'node:stream'
import { tooLarge } from '../../../api/index.ts'
import { isUniqueViolation, now } from '../../../infra/database/index.ts'
import { parseDuration } from '../../../infra/durations/index.ts'
import { type Content, type OpenedObject, parseStorageKey } from '../../../infra/objects/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { newFileKey } from '../files/keys.ts'
import type { CiJobArtifactRow, CiJobRow } from '../tables.ts'
import * as store from './store.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    'job_artifact.stored': { jobId: number; fileType: string }
  }
}

/** How long artifacts are kept when the configuration does not say (contract 04, "Background work"). */
const defaultKeepSeconds = 30 * 86_400
/** Far enough for a timestamp of both engines. */
const longestKeepSeconds = 1000 * 31_557_600

/**
 * When artifacts expire.
 * @param expireIn a duration such as `1 week`, or `never`; without it the default of the instance
 * @returns ISO text; null: never
 */
export function expiryOf({ clock }: Platform, expireIn: string | null | undefined): string | null {
  if (expireIn?.trim() === 'never') return null
  const seconds = expireIn ? (parseDuration(expireIn) ?? defaultKeepSeconds) : defaultKeepSeconds
  return new Date(clock.now().getTime() + Math.min(seconds, longestKeepSeconds) * 1000).toISOString()
}

/** A file that a runner uploads. */
export type NewArtifact = {
  /** `archive`, `metadata`, `junit`, `dotenv` … */
  fileType: string
  /** `zip`, `gzip` or `raw`. */
  fileFormat: string
  fileName: string
  content: Content
  accessLevel: 'all' | 'developer' | 'none'
  expireAt: string | null
  /** More bytes are refused. */
  maxBytes: number
}

async function* bounded(content: Content, maxBytes: number): AsyncGenerator<Uint8Array> {
  let size = 0
  // A destroyed upload could not be answered.
  const pieces = content instanceof Readable ? content.iterator({ destroyOnReturn: false }) : content
  for await (const piece of pieces as AsyncIterable<Uint8Array>) {
    size += piece.length
    if (size > maxBytes) throw tooLarge()
    yield piece
  }
}

/**
 * Stores an artifact of a job (contract 04, x.runner_artifacts_upload).
 * @returns the row: `exists` when the job has another file of the type, `same` when it has this one already
 * @throws ApiError 413
 */
export async function storeArtifact(
  platform: Platform,
  job: Pick<CiJobRow, 'id' | 'project_id'>,
  given: NewArtifact,
): Promise<{ outcome: 'stored' | 'same' | 'exists'; artifact: CiJobArtifactRow }> {
  const { objects, database, clock } = platform
  const key = newFileKey(job, 'artifact')
  const { sizeBytes, sha256 } = await objects.put(key, bounded(given.content, given.maxBytes))
  try {
    const artifact = await database.write(async (tx) => {
      if (given.fileType === 'archive') await store.setExpiry(tx, job.id, given.expireAt)
      const stored = await store.insertArtifact(tx, {
        ...{ job_id: job.id, project_id: job.project_id, file_type: given.fileType, file_format: given.fileFormat },
        ...{ file_name: given.fileName, size_bytes: sizeBytes, sha256, storage_key: key },
        ...{ access_level: given.accessLevel, expire_at: given.expireAt, created_at: now(clock) },
      })
      await react(platform, tx, 'job_artifact.stored', { jobId: job.id, fileType: given.fileType })
      return stored
    })
    return { outcome: 'stored', artifact }
  } catch (error) {
    if (!isUniqueViolation(error, 'ci_job_artifacts_type_unique')) throw error
    await objects.delete(key)
    const artifact = await store.artifactOfType(database.read, job.id, given.fileType)
    if (!artifact) throw error
    return { outcome: artifact.sha256 === sha256 ? 'same' : 'exists', artifact }
  }
}

/**
 * The artifact of a job of a type.
 * @returns null when there is none, or it has expired and is not kept as one of the latest pipeline of its ref
 */
export async function findArtifact(
  { database, clock }: Platform,
  jobId: number,
  fileType = 'archive',
): Promise<CiJobArtifactRow | null> {
  const artifact = await store.artifactOfType(database.read, jobId, fileType)
  if (!artifact?.expire_at || artifact.expire_at > now(clock)) return artifact
  return (await store.belongsToLatest(database.read, jobId)) ? artifact : null
}

/** Opens the bytes of an artifact; null when they are missing. */
export function openArtifact({ objects }: Platform, artifact: CiJobArtifactRow): Promise<OpenedObject | null> {
  return objects.get(parseStorageKey(artifact.storage_key))
}

/** Deletes the artifacts of a job: rows first, since keys are never used again. */
export async function deleteArtifactsOf({ database, objects }: Platform, jobId: number): Promise<void> {
  const keys = await database.write((tx) => store.deleteArtifacts(tx, { jobId }))
  for (const key of keys) await objects.delete(parseStorageKey(key))
}
