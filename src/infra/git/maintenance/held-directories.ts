/** Prevents git from removing the directories of loose objects while a repository is packed. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FAN_OUT = 256
/** Git takes files with this prefix for objects being written, and does not delete recent ones. */
const HELD = 'tmp_obj_held'

function ignoreExisting(error: NodeJS.ErrnoException): void {
  if (error.code !== 'EEXIST') throw error
}

/**
 * Places a file in each object directory. Git removes directories that it has emptied; a push that is about to move its objects
 * there out of quarantine would then fail.
 * @returns one of the files, and the function that deletes them; `clearStale` deletes them after a crash
 */
export async function holdObjectDirectories(directory: string): Promise<{ file: string; release(): Promise<void> }> {
  const files = Array.from({ length: FAN_OUT }, (_, index) => {
    return join(directory, 'objects', index.toString(16).padStart(2, '0'), HELD)
  })
  await Promise.all(
    files.map(async (file) => {
      // Not with its parents: a repository that was removed meanwhile is not to be made again.
      await mkdir(join(file, '..')).catch(ignoreExisting)
      await writeFile(file, '')
    }),
  )
  const release = async () => {
    await Promise.all(files.map((file) => rm(file, { force: true })))
  }
  return { file: files[0] ?? '', release }
}
