import type { Insertable } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { countRows, type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { type LinkRow, type ReleaseLinksTable, releaseLinks } from '../tables.ts'

export const { update: updateLink, remove: deleteLink } = rows(releaseLinks)

/** The links of these releases, newest first. */
export async function linksOf(db: Reader, releaseIds: readonly number[]): Promise<LinkRow[]> {
  return db
    .selectFrom('release_links')
    .selectAll()
    .where(within(db, 'release_links.release_id', releaseIds))
    .orderBy('id', 'desc')
    .execute()
}

export async function pageOfLinks(db: Reader, releaseId: number, page: PageRequest): Promise<Page<LinkRow>> {
  const chosen = db.selectFrom('release_links').selectAll().where('release_id', '=', releaseId)
  return pageOfRows(db, chosen.orderBy('id', 'desc'), page)
}

export function countLinks(db: Reader, releaseId: number): Promise<number> {
  return countRows(db.selectFrom('release_links').where('release_id', '=', releaseId))
}

export async function linkById(db: Reader, releaseId: number, id: number): Promise<LinkRow | null> {
  const query = db.selectFrom('release_links').selectAll().where('release_id', '=', releaseId).where('id', '=', id)
  return (await query.executeTakeFirst()) ?? null
}

/** The link with a path below the release. */
export async function linkAt(db: Reader, releaseId: number, filepath: string): Promise<LinkRow | null> {
  const query = db.selectFrom('release_links').selectAll().where('release_id', '=', releaseId)
  return (await query.where('filepath', '=', filepath).executeTakeFirst()) ?? null
}

/** @throws UniqueViolation of `release_links_{name,url,filepath}_unique` */
export async function insertLinks(tx: Tx, links: readonly Insertable<ReleaseLinksTable>[]): Promise<LinkRow[]> {
  return links.length === 0 ? [] : tx.insertInto('release_links').values(links).returningAll().execute()
}
