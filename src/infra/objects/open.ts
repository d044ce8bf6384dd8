import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../clock/index.ts'
import { openFilesystem } from './filesystem/store.ts'
import { ObjectError } from './object-error.ts'
import type { ObjectStore } from './object-store.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Opens the object store and deletes abandoned uploads.
 * @param location a folder, or `file:///folder` (FENNEC_OBJECTS_URL), which is created when it does not exist; or
 *   `s3://bucket/prefix?endpoint=…&region=…&path-style=true`
 * @param abandonedAfterMs age at which an untouched writer is dropped, default 24 hours (contract 02 R10)
 * @param mayBeAway whether a bucket is opened whose service cannot be reached now; its requests fail until it is back
 * @throws Error that names FENNEC_OBJECTS_URL when the location has an unknown form, or the bucket cannot be used
 */
export async function openObjects({
  location,
  clock,
  abandonedAfterMs = DAY_MS,
  mayBeAway = false,
}: {
  location: string
  clock: Clock
  abandonedAfterMs?: number | undefined
  mayBeAway?: boolean
}): Promise<ObjectStore> {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(location)?.[1]?.toLowerCase()
  const store =
    scheme === 's3' ? await openBucket(location, clock, mayBeAway) : await openFolder(location, scheme, clock)
  // Each request to a service that is away takes seconds.
  const sweeping = mayBeAway
    ? store.check().then(() => store.removeAbandoned(abandonedAfterMs))
    : store.removeAbandoned(abandonedAfterMs)
  await sweeping.catch((error) => {
    if (!mayBeAway || !(error instanceof ObjectError) || error.code !== 'unavailable') throw error
  })
  return store
}

async function openBucket(location: string, clock: Clock, mayBeAway: boolean): Promise<ObjectStore> {
  const { parseS3Location } = await import('./s3/location.ts')
  const parsed = parseS3Location(location)
  // The library of S3 is large. A server that stores files does not load it.
  const { openS3 } = await import('./s3/store.ts')
  return openS3({ location: parsed, clock, mayBeAway })
}

function openFolder(location: string, scheme: string | undefined, clock: Clock): Promise<ObjectStore> {
  return openFilesystem({ folder: folderOf(location, scheme), clock })
}

function folderOf(location: string, scheme: string | undefined): string {
  if (scheme === undefined && location !== '') return resolve(location)
  // Only the scheme: the rest of such a URL may contain credentials.
  if (scheme !== 'file')
    throw new Error(
      `FENNEC_OBJECTS_URL: cannot store objects at '${scheme ?? ''}:', use file:///folder or s3://bucket/prefix`,
    )
  if (!/^file:\/\/(localhost)?\/[^/]/i.test(location)) throw new Error('FENNEC_OBJECTS_URL: use file:///folder')
  return fileURLToPath(location)
}
