import { link, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { syncDirectory, writeDurably } from '../files/index.ts'
import { randomHex } from './tokens.ts'

/**
 * Creates a file with mode 0600 and syncs it to disk. An existing file is not changed: of two processes that do this at the
 * same time, both find the text of the first one. The folder must exist.
 */
export async function createPrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomHex(8)}`
  try {
    await writeDurably(temporary, text, 0o600, 'wx')
    // Creating a hard link is atomic and never replaces a file.
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(temporary, { force: true })
  }
  await syncDirectory(dirname(path))
}
