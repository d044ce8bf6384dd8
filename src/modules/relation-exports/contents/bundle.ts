import { createReadStream, createWriteStream } from 'node:fs'
import { mkdir, mkdtemp, rm, stat } from 'node:fs/promises'
import { join } from 'node:path'
import { pipeline } from 'node:stream/promises'
import { ApiError } from '../../../api/index.ts'
import { requestFolder } from '../../../config.ts'
import { now } from '../../../infra/database/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import type { ExportedFiles, OpenedFile, Platform } from '../../../platform/index.ts'
import { type OpenedRepository, openRepository } from '../../../platform/repositories/index.ts'

/** The repository of a project; null when there is none. */
async function repositoryOf(platform: Platform, id: number): Promise<OpenedRepository | null> {
  try {
    return await openRepository(platform, { id })
  } catch (error) {
    if (error instanceof ApiError && error.status === 404) return null
    throw error
  }
}

/**
 * Writes a bundle to a file, since an archive names the size of a file before its bytes. The name is that of the folders of
 * requests, which are swept after a crash.
 */
async function spooled({ config }: Platform, { repository }: OpenedRepository): Promise<OpenedFile> {
  await mkdir(requestFolder(config), { recursive: true })
  const folder = await mkdtemp(join(requestFolder(config), 'upload-'))
  const path = join(folder, 'bundle')
  const remove = () => rm(folder, { recursive: true, force: true })
  try {
    await pipeline(await repository.bundle(), handled(createWriteStream(path)))
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

/** The repository of a project as a bundle, from which git can clone; nothing while it has no refs (contract 14, Files). */
export const exportedRepository: ExportedFiles = async function* (platform, { id }) {
  const opened = await repositoryOf(platform, id)
  if (!opened || opened.snapshot.branches.length + opened.snapshot.tags.length === 0) return
  yield [{ path: 'project.bundle', modifiedAt: now(platform.clock), open: () => spooled(platform, opened) }]
}
