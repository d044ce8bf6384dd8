import { fileURLToPath } from 'node:url'
import type { Config } from '../../config.ts'
import type { Clock } from '../../infra/clock/index.ts'
import type { Database } from '../../infra/database/index.ts'
import { ObjectError, type ObjectStore, openObjects } from '../../infra/objects/index.ts'
import { folderId, isFolder } from '../repositories/index.ts'
import { retainedDuringBackup } from './during-backup.ts'

const notMounted = () => new ObjectError('unavailable', 'the folder of the object store is not mounted')

/**
 * An object store in a folder whose file system may be unmounted while the server runs: what is then below the mount point is
 * neither written, nor taken for the objects. Objects that are found are the right ones, so only absence is looked into.
 */
function whileMounted(objects: ObjectStore, isMounted: () => Promise<boolean>): ObjectStore {
  const requireMounted = async () => {
    if (!(await isMounted())) throw notMounted()
  }
  const orAbsent = async <T>(found: T | null): Promise<T | null> => {
    if (found === null) await requireMounted()
    return found
  }
  const mounted = <Given extends unknown[], Result>(work: (...given: Given) => Promise<Result>) => {
    return async (...given: Given): Promise<Result> => {
      await requireMounted()
      return work(...given)
    }
  }
  return {
    ...objects,
    put: mounted(objects.put),
    begin: mounted(objects.begin),
    append: mounted(objects.append),
    commit: mounted(objects.commit),
    copy: mounted(objects.copy),
    delete: mounted(objects.delete),
    check: mounted(objects.check),
    get: async (key, options) => orAbsent(await objects.get(key, options)),
    head: async (key) => orAbsent(await objects.head(key)),
    progress: async (id) => orAbsent(await objects.progress(id)),
    async *list(prefix) {
      await requireMounted()
      yield* objects.list(prefix)
    },
  }
}

/**
 * Opens the object store of a server. A bucket whose service cannot be reached is opened as well: requests that need it fail until it
 * is back.
 * @throws Error as `openObjects`
 */
export async function openServerObjects(
  { objectsUrl }: Pick<Config, 'objectsUrl'>,
  { clock, database }: { clock: Clock; database: Pick<Database, 'isHeld'> },
): Promise<ObjectStore> {
  const objects = retainedDuringBackup(await openObjects({ location: objectsUrl, clock, mayBeAway: true }), database)
  if (!objectsUrl.startsWith('file:')) return objects
  const folder = fileURLToPath(objectsUrl)
  const id = await folderId(folder)
  return whileMounted(objects, () => isFolder(folder, id))
}
