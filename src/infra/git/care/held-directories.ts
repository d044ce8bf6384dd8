/** Keeps the directories of loose objects where they are while a repository is packed. */
import { mkdir, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'

const FAN_OUT = 256
/** A name that git takes for an object that is just being written: it leaves such files alone until they are old. */
const HELD = 'tmp_obj_held'

/**
 * Git removes a directory of objects that it has emptied. A push that has just made sure of the directory, and is about to move its
 * objects there out of quarantine, then fails. As long as something lies in each of them none goes.
 * @returns what lies there, and how to let go; whoever is killed before that leaves files for `clearStale`
 */
export async function holdObjectDirectories(directory: string): Promise<{ file: string; release(): Promise<void> }> {
  const files = Array.from({ length: FAN_OUT }, (_, index) => {
    return join(directory, 'objects', index.toString(16).padStart(2, '0'), HELD)
  })
  await Promise.all(
    files.map(async (file) => {
      await mkdir(join(file, '..'), { recursive: true })
      await writeFile(file, '')
    }),
  )
  const release = async () => {
    await Promise.all(files.map((file) => rm(file, { force: true })))
  }
  return { file: files[0] ?? '', release }
}
