import { accessSync, constants, statfsSync } from 'node:fs'
import { tmpdir } from 'node:os'

const inMemory = '/dev/shm'
const roomyBytes = 4 * 1024 ** 3

/** The folder for the files of tests: in memory where there is room for them. */
export function quickFolder(): string {
  try {
    accessSync(inMemory, constants.W_OK)
    const { bavail, bsize } = statfsSync(inMemory)
    return bavail * bsize >= roomyBytes ? inMemory : tmpdir()
  } catch {
    return tmpdir()
  }
}
