import { createReadStream } from 'node:fs'
import { Readable } from 'node:stream'
import { type Actor, Type, type UploadedFile } from '../../../api/index.ts'
import { type TreePath, treePath } from '../../../infra/git/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import { handled } from '../../../infra/streams/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { writableRef } from '../../commits/index.ts'
import { markdownLink, safeFileName } from '../../uploads/index.ts'
import type { WikiOwner } from '../repository/repository.ts'
import { writeWiki } from '../repository/write-wiki.ts'

/** An attached file (contract 22, x.wikis_attach). */
export const WikiAttachment = Type.Object(
  {
    file_name: Type.String(),
    file_path: Type.String(),
    branch: Type.String(),
    link: Type.Object({ url: Type.String(), markdown: Type.String() }),
  },
  { title: 'WikiAttachment' },
)

/** A safe name that git accepts: names such as `.git` get an underscore. */
function attachmentName(filename: string): string {
  const name = safeFileName(filename)
  return treePath(name) === null ? safeFileName(`_${name}`) : name
}

/** Opens the file on the first read: a commit may be built several times, or not at all. */
async function* bytesOf(path: string): AsyncGenerator<Buffer> {
  yield* handled(createReadStream(path)) as AsyncIterable<Buffer>
}

/** Adds a file to a wiki's repository (contract 22, x.wikis_attach, x.gwikis_attach). @throws ApiError 400 */
export async function attachFile(
  platform: Platform,
  owner: WikiOwner,
  actor: Actor,
  file: UploadedFile,
  branch?: string,
) {
  if (branch) writableRef(branch)
  const name = attachmentName(file.filename)
  const path = `uploads/${randomHex(16)}/${name}`
  const written = await writeWiki(platform, owner, actor, {
    branch,
    message: `Upload attachment ${name}`,
    build: async () => [
      {
        path: path as TreePath,
        content: { stream: handled(Readable.from(bytesOf(file.path))), sizeBytes: file.sizeBytes },
      },
    ],
  })
  return {
    file_name: name,
    file_path: path,
    branch: written.branch,
    link: { url: path, markdown: markdownLink(name, path) },
  }
}
