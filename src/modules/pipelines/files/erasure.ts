import { parseStorageKey } from '../../../infra/objects/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { deleteArtifacts } from '../artifacts/store.ts'
import type { CiJobRow } from '../tables.ts'
import { deleteTrace } from '../traces/store.ts'
import { markErased } from './store.ts'

/** Deletes the log and the artifacts of a job. @returns false when they were erased before */
export async function eraseJob({ database, objects }: Platform, job: CiJobRow, moment: string): Promise<boolean> {
  const keys = await database.write(async (tx) => {
    if (!(await markErased(tx, job.id, moment))) return null
    return [...(await deleteArtifacts(tx, { jobId: job.id })), ...(await deleteTrace(tx, job.id))]
  })
  for (const key of keys ?? []) await objects.delete(parseStorageKey(key))
  return keys !== null
}
