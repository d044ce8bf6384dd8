import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { requestFolder } from '../../config.ts'
import { handled } from '../../infra/streams/index.ts'
import type { Platform } from '../platform.ts'
import type { OpenedFile } from '../relations/index.ts'

/**
 * Writes content to a file, since an archive names the size of a file before its bytes. The name is that of the folders of requests,
 * which are swept after a crash. The file is removed once its content was read, or reading it has ended.
 */
export async function spooled({ config }: Platform, source: AsyncIterable<Uint8Array>): Promise<OpenedFile> {
  await mkdir(requestFolder(config), { recursive: true })
  const folder = await mkdtemp(join(requestFolder(config), 'upload-'))
  const path = join(folder, 'content')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await pipeline(source, handled(createWriteStream(path)))
    const { size: sizeBytes } = await stat(path)
    async function* content(): AsyncGenerator<Uint8Array> {
      try {
        yield* handled(createReadStream(path))
      } finally {
        await remove()
      }
    }
    return { sizeBytes, content: content() }
  } catch (error) {
    await remove()
    throw error
  }
}
