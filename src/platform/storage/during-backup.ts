import type { Database } from '../../infra/database/index.ts'
import { RunLater } from '../../infra/jobs/index.ts'
import type { ObjectStore } from '../../infra/objects/index.ts'

/**
 * Held while a backup copies what its snapshot of the database refers to. Nothing of that may be deleted meanwhile: neither objects,
 * nor repositories, nor unreachable objects in them.
 */
export const backupLock = 'backup'

/** Held for the moment at which a backup takes its snapshot. Meanwhile no change of refs begins. */
export const refsLock = 'refs'

/** Whether a backup is being made, so that nothing may be deleted that its snapshot may refer to. */
function isBackedUp({ database }: { database: Pick<Database, 'isHeld'> }): Promise<boolean> {
  return database.isHeld(backupLock)
}

const deferMs = 60_000

/** Postpones a job that deletes files of repositories. @throws RunLater while a backup is made */
export async function deferDuringBackup(platform: { database: Pick<Database, 'isHeld'> }): Promise<void> {
  if (await isBackedUp(platform)) throw new RunLater(deferMs)
}

/**
 * An object store that deletes nothing while a backup is made. What stays has no row any more, because rows are deleted before
 * objects; the daily sweeps of the modules remove it.
 */
export function retainedDuringBackup(objects: ObjectStore, database: Pick<Database, 'isHeld'>): ObjectStore {
  return {
    ...objects,
    async delete(key) {
      if (!(await isBackedUp({ database }))) await objects.delete(key)
    },
  }
}
