import { resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { Clock } from '../clock/index.ts'
import { openFilesystem } from './filesystem/store.ts'
import type { ObjectStore } from './object-store.ts'

const DAY_MS = 24 * 60 * 60 * 1000

/**
 * Opens the object store and deletes abandoned uploads.
 * @param location a folder, or `file:///folder` (FENNEC_OBJECTS_URL); created when it does not exist
 * @param abandonedAfterMs age at which an untouched writer is dropped, default 24 hours (contract 02 R10)
 * @throws Error that names FENNEC_OBJECTS_URL when the location has an unknown form
 */
export async function openObjects({
  location,
  clock,
  abandonedAfterMs = DAY_MS,
}: {
  location: string
  clock: Clock
  abandonedAfterMs?: number | undefined
}): Promise<ObjectStore> {
  const store = await openFilesystem({ folder: folderOf(location), clock })
  await store.removeAbandoned(abandonedAfterMs)
  return store
}

function folderOf(location: string): string {
  const scheme = /^([A-Za-z][A-Za-z0-9+.-]*):/.exec(location)?.[1]?.toLowerCase()
  if (scheme === undefined && location !== '') return resolve(location)
  // Only the scheme: the rest of such a URL may contain credentials.
  if (scheme !== 'file')
    throw new Error(`FENNEC_OBJECTS_URL: cannot store objects at '${scheme ?? ''}:', use file:///folder`)
  if (!/^file:\/\/(localhost)?\/[^/]/i.test(location)) throw new Error('FENNEC_OBJECTS_URL: use file:///folder')
  return fileURLToPath(location)
}
