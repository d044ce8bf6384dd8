/** Repairs refs after a power failure. */
import { open, readFile, rename, rm } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing } from '../../files/index.ts'
import { isZeroOid, type RefName } from '../model/names.ts'
import type { RefChange } from '../model/types.ts'
import { syncRefs } from '../process/durable.ts'

const SOUND = /^(?:[0-9a-f]{40}|[0-9a-f]{64})\n$/

/**
 * Restores the refs of an interrupted change whose files are damaged to what they were before it. A power failure leaves such files
 * when refs were written without being synced (`updateRefs`); no running process does.
 * @returns their names
 */
export async function repairRefs(directory: string, changes: readonly RefChange[]): Promise<RefName[]> {
  const repaired: RefName[] = []
  for (const change of changes) {
    const path = join(directory, change.ref)
    const text = await readFile(path, 'latin1').catch(ignoreDirectory)
    if (text === null || SOUND.test(text)) continue
    await restore(path, change)
    repaired.push(change.ref)
  }
  if (repaired.length > 0) await syncRefs(directory, repaired)
  return repaired
}

/** A directory in the place of a ref holds other refs. */
function ignoreDirectory(cause: NodeJS.ErrnoException): null {
  return cause.code === 'EISDIR' ? null : ignoreMissing(cause)
}

async function restore(path: string, { old }: RefChange): Promise<void> {
  if (isZeroOid(old)) return rm(path, { force: true })
  const lock = `${path}.lock`
  // Git's lock protocol: the lock is the new file.
  await using file = await open(lock, 'wx')
  await file.writeFile(`${old}\n`)
  await file.sync()
  await rename(lock, path)
}
