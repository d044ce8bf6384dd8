import { mkdir, readFile, rm, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { ignoreMissing } from '../infra/files/index.ts'

/** Another runner uses the folder. `message` is a sentence. */
export class FolderInUse extends Error {}

function isRunning(pid: number): boolean {
  try {
    process.kill(pid, 0)
    return true
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'EPERM'
  }
}

/** Writes the id of this process into a file, unless it has that of another one that runs. @throws FolderInUse */
async function claim(file: string): Promise<void> {
  const write = () => writeFile(file, `${process.pid}\n`, { flag: 'wx' })
  await write().catch(async (error: NodeJS.ErrnoException) => {
    if (error.code !== 'EEXIST') throw error
    const pid = Number(await readFile(file, 'utf8').catch(ignoreMissing))
    if (Number.isSafeInteger(pid) && pid > 0 && isRunning(pid)) {
      throw new FolderInUse(
        `process ${pid} uses the folder of builds: give --builds, or delete ${file} if it is no runner`,
      )
    }
    // A runner that was killed has left it.
    await rm(file, { force: true })
    await write()
  })
}

/**
 * Opens the folder of sources and caches for this process alone, and removes secrets that a killed runner has left there.
 * @returns closes it
 * @throws FolderInUse
 */
export async function openBuilds(folder: string): Promise<() => Promise<void>> {
  await mkdir(folder, { recursive: true, mode: 0o700 })
  const file = join(folder, 'runner.pid')
  await claim(file)
  await rm(join(folder, 'jobs'), { recursive: true, force: true })
  return () => rm(file, { force: true })
}
