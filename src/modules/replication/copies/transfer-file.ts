import { ObjectError, type StorageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { type PrimaryClient, PrimaryRefusal } from '../secondary/client.ts'
import type { ReplicaRow } from '../tables.ts'
import { newFileLocation } from './copies.ts'

const attempts = 3
const checksumHeader = 'x-fennec-checksum'

type Work = { client: PrimaryClient; signal: AbortSignal }

/** Reads from where the writer is. @returns the checksum of the whole content, as the primary has announced it */
async function receive({ objects }: Platform, writer: string, path: string, { client, signal }: Work): Promise<string> {
  const at = (await objects.progress(writer))?.sizeBytes ?? 0
  const headers: Record<string, string> = at > 0 ? { Range: `bytes=${at}-` } : {}
  const { status, headers: answered, stream } = await client.open(path, { signal, headers })
  try {
    if (at > 0 && status !== 206) throw new Error('The primary did not continue a transfer')
    await objects.append(writer, at, stream)
  } finally {
    stream.destroy()
  }
  return answered.get(checksumHeader) ?? ''
}

/**
 * Downloads content and stores it under a key when it is complete and has the announced checksum. A broken connection is
 * continued where it ended.
 * @param expected digests that are known before
 */
export async function download(
  platform: Platform,
  key: StorageKey,
  path: string,
  work: Work,
  expected: { sha256?: string; sha512?: string } = {},
): Promise<void> {
  const { objects } = platform
  const { id: writer } = await objects.begin()
  try {
    for (let attempt = 1; ; attempt += 1) {
      try {
        const sha256 = await receive(platform, writer, path, work)
        await objects.commit(writer, key, sha256 === '' ? expected : { sha256, ...expected })
        return
      } catch (error) {
        work.signal.throwIfAborted()
        const isFinal = error instanceof PrimaryRefusal || error instanceof ObjectError
        if (isFinal || attempt === attempts) throw error
      }
    }
  } catch (error) {
    await objects.cancel(writer)
    throw error
  }
}

/** Copies an upload or an LFS object. @returns where the copy is */
export async function transferFile(platform: Platform, replica: ReplicaRow, work: Work): Promise<string> {
  const location = newFileLocation(replica)
  await download(platform, location, `/geo/retrieve/${replica.type}/${replica.replicable_id}`, work)
  return location
}
