import { type RenderOptions, renderMarkdown } from '../../infra/markdown/index.ts'
import { type StorageKey, storageKey } from '../../infra/objects/index.ts'
import type { UploadRow } from './tables.ts'

/** The project or group to which an upload belongs. */
export type UploadOwner = { kind: 'project' | 'group'; id: number }

/** The keys of all uploads are below it. */
export const uploadsPrefix = storageKey('uploads')

/** All files of an owner have keys below this one. */
export const prefixOfOwner = ({ kind, id }: UploadOwner): StorageKey => storageKey('uploads', kind, id)

/** The key of an upload. It names no path, so that renaming and transferring an owner move nothing. */
export const keyOf = ({ kind, id }: UploadOwner, secret: string): StorageKey => storageKey('uploads', kind, id, secret)

/** The owner and the secret that a key names; null for other keys. */
export function partsOfKey(key: StorageKey): { owner: UploadOwner; secret: string } | null {
  const [, kind, id, secret] = /^uploads\/(project|group)\/(\d+)\/([0-9a-f]{32})$/.exec(key) ?? []
  return kind && secret ? { owner: { kind: kind as UploadOwner['kind'], id: Number(id) }, secret } : null
}

/** The project or group to which a row of one of them belongs. */
export function ownerOf({
  project_id: projectId,
  namespace_id: groupId,
}: Pick<UploadRow, 'project_id' | 'namespace_id'>): UploadOwner {
  return projectId === null ? { kind: 'group', id: groupId as number } : { kind: 'project', id: projectId }
}

/** The address of an upload for Markdown of the same owner. */
export const relativePath = ({ secret, filename }: UploadRow) => `/uploads/${secret}/${filename}`

/** The address of an upload on the web, below the server's. */
export function webPath(upload: UploadRow): string {
  const { kind, id } = ownerOf(upload)
  return `/-/${kind}/${id}${relativePath(upload)}`
}

const upload = /^\/uploads\/[0-9a-f]{32}\/[^/]+$/

/** Leads links and images of uploads of a project or group to their full address (contract 08, "Other parts"). */
function uploadLinks({ kind, id }: UploadOwner): RenderOptions {
  return { resolve: (url) => (upload.test(url) ? `/-/${kind}/${id}${url}` : url) }
}

/** Renders Markdown of a project or group. */
export function renderMarkdownOf(owner: UploadOwner, text: string): string {
  return renderMarkdown(text, uploadLinks(owner))
}
