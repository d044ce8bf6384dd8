import { link, open, rm } from 'node:fs/promises'
import { dirname } from 'node:path'
import { randomHex } from './tokens.ts'

async function writeDurably(path: string, text: string): Promise<void> {
  const file = await open(path, 'wx', 0o600)
  try {
    await file.writeFile(text)
    await file.sync()
  } finally {
    await file.close()
  }
}

/**
 * Makes a file that only its owner may read, durably, unless there is one: of two processes that start at once, one wins, and
 * the other finds what that one wrote. The folder must be there.
 */
export async function createPrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomHex(8)}`
  try {
    await writeDurably(temporary, text)
    // A hard link appears whole or not at all, and never replaces.
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(temporary, { force: true })
  }
  const folder = await open(dirname(path))
  await folder.sync().finally(() => folder.close())
}
