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
 * Creates a file with mode 0600 and syncs it to disk. An existing file is not changed: of two processes that do this at the
 * same time, both find the text of the first one. The folder must exist.
 */
export async function createPrivateFile(path: string, text: string): Promise<void> {
  const temporary = `${path}.${randomHex(8)}`
  try {
    await writeDurably(temporary, text)
    // Creating a hard link is atomic and never replaces a file.
    await link(temporary, path).catch((error: NodeJS.ErrnoException) => {
      if (error.code !== 'EEXIST') throw error
    })
  } finally {
    await rm(temporary, { force: true })
  }
  const folder = await open(dirname(path))
  await folder.sync().finally(() => folder.close())
}
