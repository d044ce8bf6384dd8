import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import type { StorageKey } from '../../../infra/objects/index.ts'
import { subtreeOf } from '../../namespaces/index.ts'
import { keyOf, ownerOf, type UploadOwner } from '../owner.ts'
import { type UploadRow, uploads } from '../tables.ts'

export const { insert: insertUpload } = rows(uploads)

const columnOf = ({ kind }: UploadOwner) => (kind === 'project' ? 'project_id' : 'namespace_id')

const uploadsOf = (db: Reader, owner: UploadOwner) =>
  db.selectFrom('uploads').selectAll().where(columnOf(owner), '=', owner.id)

/** A page of the uploads of a project or group, the newest first. */
export function pageOfUploads(db: Reader, owner: UploadOwner, page: PageRequest): Promise<Page<UploadRow>> {
  return pageOfRows(db, uploadsOf(db, owner).orderBy('created_at', 'desc').orderBy('id', 'desc'), page)
}

export async function uploadById(db: Reader, owner: UploadOwner, id: number): Promise<UploadRow | null> {
  return (await uploadsOf(db, owner).where('id', '=', id).executeTakeFirst()) ?? null
}

export async function uploadBySecret(db: Reader, owner: UploadOwner, secret: string): Promise<UploadRow | null> {
  return (await uploadsOf(db, owner).where('secret', '=', secret).executeTakeFirst()) ?? null
}

/** Those of an owner's uploads that have one of the secrets. */
export async function uploadsWithSecrets(
  db: Reader,
  owner: UploadOwner,
  secrets: readonly string[],
): Promise<UploadRow[]> {
  return uploadsOf(db, owner)
    .where(within(db, 'uploads.secret', secrets))
    .orderBy('id')
    .execute()
}

/** The columns that name the owner. */
export const placeOf = ({ kind, id }: UploadOwner) =>
  kind === 'project' ? { project_id: id, namespace_id: null } : { project_id: null, namespace_id: id }

/** The uploads with a secret: more than one only when a project was imported into the server that it came from. */
export async function uploadsWithSecret(db: Reader, secret: string): Promise<UploadRow[]> {
  return db.selectFrom('uploads').selectAll().where('secret', '=', secret).orderBy('id').execute()
}

/** @returns whether it was there */
export async function deleteUploadRow(tx: Tx, id: number): Promise<boolean> {
  const rows = await tx.deleteFrom('uploads').where('id', '=', id).returning('id').execute()
  return rows.length > 0
}

/** Those of the secrets that records have, each with its owner. */
export async function knownSecrets(db: Reader, secrets: readonly string[]) {
  const rows = await db
    .selectFrom('uploads')
    .selectAll()
    .where(within(db, 'uploads.secret', secrets))
    .execute()
  return rows.map((row) => ({ owner: ownerOf(row), secret: row.secret }))
}

/** Where the bytes of uploads are, by their ids; those that there are. */
export async function uploadKeys(db: Reader, ids: readonly number[]): Promise<Map<number, StorageKey>> {
  const rows = await db
    .selectFrom('uploads')
    .selectAll()
    .where(within(db, 'uploads.id', ids))
    .execute()
  return new Map(rows.map((row) => [row.id, keyOf(ownerOf(row), row.secret)]))
}

/** A batch of all uploads, by id. @param id the last id of the batch before */
export async function uploadsAfter(db: Reader, id: number, limit: number): Promise<UploadRow[]> {
  return db.selectFrom('uploads').selectAll().where('id', '>', id).orderBy('id').limit(limit).execute()
}

/** The groups at or below a group that have uploads. */
export async function groupsWithUploads(db: Reader, groupId: number): Promise<number[]> {
  const query = db.selectFrom('uploads').select('namespace_id').distinct()
  const rows = await query.where('namespace_id', 'in', subtreeOf(groupId)).execute()
  return rows.map(({ namespace_id: id }) => id as number)
}
