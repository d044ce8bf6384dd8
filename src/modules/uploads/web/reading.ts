import { type Actor, dayOf, notFound, type Raw } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { mayInGroup, withLevel } from '../../groups/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { may, projectById, settingOf, withRole } from '../../projects/index.ts'
import { servedUpload, uploadAt } from '../core/uploads.ts'
import { isEmbeddable } from '../files/media-types.ts'
import { type Answering, serveFile } from '../files/serving.ts'
import { ownerOf, type UploadOwner, webPath } from '../owner.ts'
import type { UploadRow } from '../tables.ts'

/**
 * Whether a caller may read an upload on the web: those who see its project or group, and of projects that do not protect
 * their media all callers who have the address of an image, video or sound (contract 08, x.upload_web_project).
 */
export async function mayRead({ database, clock }: Platform, actor: Actor, upload: UploadRow): Promise<boolean> {
  const { kind, id } = ownerOf(upload)
  const [db, today] = [database.read, dayOf(clock.now())]
  if (kind === 'group') {
    const row = await namespaceById(db, id)
    if (row?.kind !== 'group' || row.pending_delete) return false
    return mayInGroup(actor, await withLevel(db, row, actor, today), 'read_group')
  }
  const row = await projectById(db, id)
  if (!row || row.pending_delete) return false
  if (!settingOf(row, 'enforce_auth_checks_on_uploads') && isEmbeddable(upload.filename)) return true
  return may(actor, await withRole(db, row, actor, today), 'read_project')
}

/** The path parameters of an upload. */
export type Address = { secret: string; filename: string }

const idForm = /^\d{1,15}$/

/** The owner whose id a path names; no row has the id 0. */
export const ownerWithId = (kind: UploadOwner['kind'], id: string): UploadOwner => ({
  kind,
  id: idForm.test(id) ? Number(id) : 0,
})

/** @throws ApiError 404, also when the caller may not read the upload */
async function requireReadable(platform: Platform, actor: Actor, owner: UploadOwner, address: Address) {
  const upload = await uploadAt(platform, owner, address)
  if (!upload || !(await mayRead(platform, actor, upload))) throw notFound()
  return upload
}

const webForm = /^\/-\/(project|group)\/(\d{1,15})\/uploads\/([^/]+)\/([^/?]+)\/?(?:\?|$)/

/**
 * The upload at a web address, for a server that has a copy of it (contract 15, x.geo_int.authorize).
 * @throws ApiError 404, also when the caller may not read it
 */
export async function authorizeUploadRead(platform: Platform, actor: Actor, path: string): Promise<UploadRow> {
  const [, kind, id = '', secret = '', filename = ''] = webForm.exec(path) ?? []
  if (!kind) throw notFound()
  const owner = ownerWithId(kind as UploadOwner['kind'], id)
  return requireReadable(platform, actor, owner, { secret, filename: decoded(filename) })
}

/** @throws ApiError 404 for invalid escapes */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    throw notFound()
  }
}

/** Serves an upload on the web (contract 08, x.upload_web_project, x.upload_web_group). @throws ApiError 404, 416 */
export async function serveOnWeb(
  platform: Platform,
  actor: Actor,
  owner: UploadOwner,
  address: Address,
  answering: Answering,
): Promise<Raw> {
  const upload = await requireReadable(platform, actor, owner, address)
  return serveFile(platform, answering, servedUpload(upload), 'web')
}

/** The full address of an upload, with a file name that a header can hold. */
function urlOf({ externalUrl }: Platform, upload: UploadRow): string {
  const path = webPath(upload)
  return externalUrl + path.slice(0, -upload.filename.length) + encodeURIComponent(upload.filename)
}

/** Where a former address of an upload leads. @throws ApiError 404 */
export async function currentUrl(
  platform: Platform,
  actor: Actor,
  owner: UploadOwner,
  address: Address,
): Promise<string> {
  return urlOf(platform, await requireReadable(platform, actor, owner, address))
}

/** The first of some uploads that has the name and that the caller may read. @throws ApiError 404 */
export async function firstReadableUrl(
  platform: Platform,
  actor: Actor,
  uploads: readonly UploadRow[],
  filename: string,
): Promise<string> {
  for (const upload of uploads) {
    if (upload.filename === filename && (await mayRead(platform, actor, upload))) return urlOf(platform, upload)
  }
  throw notFound()
}
