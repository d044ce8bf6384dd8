import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { type Actor, tooLarge, type UploadedFile } from '../../api/index.ts'
import type { TreePath } from '../../infra/git/index.ts'
import { writableRef } from '../commits/index.ts'
import { markdownLink, safeFileName } from './attachment-name.ts'
import type { PresentedAttachment } from './present.ts'
import type { WikiOwner } from './repository.ts'
import type { WikiWriter } from './writing.ts'

export type WikiAttachmentsNeeds = {
  writer: WikiWriter
  /** Bytes that an attached file may have (setting `max_attachment_size`). */
  maximumFileBytes(): Promise<number>
  /** New for every file: 32 hexadecimal digits. */
  newSecret(): string
}

/** Files that belong to wikis (contract 22, x.wikis_attach, x.gwikis_attach). */
export type WikiAttachments = ReturnType<typeof createWikiAttachments>

/** Opens the file only once somebody reads: a commit may have to be built again, or not at all. */
async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  yield* createReadStream(path) as AsyncIterable<Buffer>
}

export function createWikiAttachments({ writer, maximumFileBytes, newSecret }: WikiAttachmentsNeeds) {
  return {
    /**
     * Puts a file into a wiki's repository.
     * @param branch the branch of the pages unless told; a new one begins where that stands
     * @throws ApiError 413 when it is too large; 400 for a branch that cannot be
     */
    async attach(owner: WikiOwner, actor: Actor, file: UploadedFile, branch?: string): Promise<PresentedAttachment> {
      const { sizeBytes } = file
      if (sizeBytes > (await maximumFileBytes())) throw tooLarge()
      if (branch) writableRef(branch)
      const name = safeFileName(file.filename)
      const path = `uploads/${newSecret()}/${name}`
      const written = await writer.write(owner, actor, {
        branch,
        message: `Upload attachment ${name}`,
        build: async () => [
          { path: path as TreePath, content: { stream: Readable.from(bytesOf(file.path)), sizeBytes } },
        ],
      })
      const link = { url: path, markdown: markdownLink(name, path) }
      return { file_name: name, file_path: path, branch: written.branch, link }
    },
  }
}
