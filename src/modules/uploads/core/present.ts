import { forms, nullable, type Static, Type } from '../../../api/index.ts'
import type { UserRow } from '../../users/index.ts'
import { alternativeText, markdownLink } from '../files/media-types.ts'
import { relativePath, webPath } from '../owner.ts'
import type { UploadRow } from '../tables.ts'

/** A new upload (contract 08, Upload). */
export const Upload = Type.Object(
  {
    id: forms.id,
    alt: Type.String({ description: 'What Markdown calls the file.' }),
    url: Type.String({ description: 'For Markdown of the same project or group.' }),
    full_path: Type.String({ description: 'Where the file is on the web.' }),
    markdown: Type.String({ description: 'Embeds the file, or links to it.' }),
  },
  { title: 'Upload' },
)

/** An upload in a list (contract 08, UploadEntry). */
export const UploadEntry = Type.Object(
  {
    id: forms.id,
    size: Type.Integer({ description: 'Bytes as stored.' }),
    filename: Type.String(),
    created_at: forms.timestamp,
    uploaded_by: nullable(Type.Object({ id: forms.id, name: Type.String(), username: Type.String() })),
  },
  { title: 'UploadEntry' },
)

export function presentUpload(upload: UploadRow): Static<typeof Upload> {
  const { id, filename } = upload
  const url = relativePath(upload)
  const markdown = markdownLink(filename, url)
  return { id, alt: alternativeText(filename), url, full_path: webPath(upload), markdown }
}

/** @param uploader absent when the account was deleted; while it is being deleted, it is not shown either */
export function presentEntry(upload: UploadRow, uploader: UserRow | undefined): Static<typeof UploadEntry> {
  const { id, size_bytes: size, filename, created_at } = upload
  const uploaded_by =
    uploader?.removed_at === null ? { id: uploader.id, name: uploader.name, username: uploader.username } : null
  return { id, size, filename, created_at, uploaded_by }
}
