import { type Insertable, type SelectQueryBuilder, sql, type Updateable } from 'kysely'
import { type Page, type PageRequest, pageOfRows } from '../../api/index.ts'
import { type Reader, type Tables, type Tx, within } from '../../infra/database/index.ts'
import type { ProjectCondition } from '../projects/index.ts'
import type {
  EvidenceRow,
  LinkRow,
  ReleaseEvidencesTable,
  ReleaseLinksTable,
  ReleaseRow,
  ReleasesTable,
} from './tables.ts'

type Chosen = SelectQueryBuilder<Tables, 'releases', object>

export type ReleaseOrder = 'released_at' | 'created_at'
export type ReleaseFilter = {
  order_by?: ReleaseOrder
  sort?: 'asc' | 'desc'
  updated_before?: string
  updated_after?: string
}

/** These releases with their columns, in the order that the filter asks for. */
function inOrder(chosen: Chosen, { order_by: order = 'released_at', sort = 'desc' }: ReleaseFilter) {
  return chosen.selectAll('releases').orderBy(`releases.${order}`, sort).orderBy('releases.id', sort)
}

/** A page of the releases of a project. */
export async function pageOfReleases(
  db: Reader,
  projectId: number,
  filter: ReleaseFilter,
  page: PageRequest,
): Promise<Page<ReleaseRow>> {
  const { updated_before: before, updated_after: after } = filter
  let chosen: Chosen = db.selectFrom('releases').where('releases.project_id', '=', projectId)
  if (before !== undefined) chosen = chosen.where('releases.updated_at', '<=', before)
  if (after !== undefined) chosen = chosen.where('releases.updated_at', '>=', after)
  return pageOfRows(db, inOrder(chosen, filter), page)
}

/** A page of the releases of the projects in a group and below it that meet these conditions. */
export async function pageOfGroupReleases(
  db: Reader,
  groupId: number,
  conditions: readonly ProjectCondition[],
  filter: ReleaseFilter,
  page: PageRequest,
): Promise<Page<ReleaseRow>> {
  const below = sql<boolean>`projects.namespace_id in (
    select namespace_id from namespace_ancestors where ancestor_id = ${groupId})`
  const chosen = db.selectFrom('releases').where(
    sql<boolean>`releases.project_id in (
        select projects.id from projects where ${sql.join([below, ...conditions], sql` and `)})`,
  )
  return pageOfRows(db, inOrder(chosen, filter), page)
}

export async function releaseOnTag(db: Reader, projectId: number, tag: string): Promise<ReleaseRow | null> {
  const query = db.selectFrom('releases').selectAll().where('project_id', '=', projectId).where('tag', '=', tag)
  return (await query.executeTakeFirst()) ?? null
}

export async function releaseById(db: Reader, id: number): Promise<ReleaseRow | null> {
  return (await db.selectFrom('releases').selectAll().where('id', '=', id).executeTakeFirst()) ?? null
}

export async function releasesOnTags(db: Reader, projectId: number, tags: readonly string[]): Promise<ReleaseRow[]> {
  const query = db.selectFrom('releases').selectAll().where('project_id', '=', projectId)
  return query.where(within(db, 'releases.tag', tags)).execute()
}

/** The release with the latest date; one whose date has not come yet only where there is no other. */
export async function latestRelease(db: Reader, projectId: number, now: string): Promise<ReleaseRow | null> {
  const newest = db
    .selectFrom('releases')
    .selectAll()
    .where('project_id', '=', projectId)
    .orderBy('released_at', 'desc')
    .orderBy('id', 'desc')
    .limit(1)
  const released = await newest.where('released_at', '<=', now).executeTakeFirst()
  return released ?? (await newest.executeTakeFirst()) ?? null
}

/** @throws UniqueViolation of `releases_tag_unique` */
export async function insertRelease(tx: Tx, release: Insertable<ReleasesTable>): Promise<ReleaseRow> {
  return tx.insertInto('releases').values(release).returningAll().executeTakeFirstOrThrow()
}

/** Changes a release; null when it has gone. */
export async function updateRelease(
  tx: Tx,
  id: number,
  changes: Updateable<ReleasesTable>,
): Promise<ReleaseRow | null> {
  return (await tx.updateTable('releases').set(changes).where('id', '=', id).returningAll().executeTakeFirst()) ?? null
}

/** @returns false when it has gone already */
export async function deleteRelease(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('releases').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

export async function deleteReleasesOnTags(tx: Tx, projectId: number, tags: readonly string[]): Promise<void> {
  await tx
    .deleteFrom('releases')
    .where('project_id', '=', projectId)
    .where(within(tx, 'releases.tag', tags))
    .execute()
}

const atOnce = 500

/** Writes down where the tags of releases lead to now. */
export async function moveReleases(
  tx: Tx,
  projectId: number,
  moved: readonly { tag: string; sha: string | null }[],
): Promise<void> {
  for (let from = 0; from < moved.length; from += atOnce) {
    const some = moved.slice(from, from + atOnce)
    const cases = some.map(({ tag, sha }) => sql`when ${tag} then ${sha}`)
    await tx
      .updateTable('releases')
      .set({ sha: sql<string | null>`case tag ${sql.join(cases, sql` `)} end` })
      .where('project_id', '=', projectId)
      .where(
        within(
          tx,
          'releases.tag',
          some.map(({ tag }) => tag),
        ),
      )
      .execute()
  }
}

/** Replaces the author of releases. @param to null for none */
export async function changeAuthor(tx: Tx, from: number, to: number | null): Promise<void> {
  await tx.updateTable('releases').set({ author_id: to }).where('author_id', '=', from).execute()
}

/** The evidence of these releases, newest first. */
export async function evidencesOf(db: Reader, releaseIds: readonly number[]): Promise<EvidenceRow[]> {
  return db
    .selectFrom('release_evidences')
    .select(['id', 'release_id', 'job_id', 'sha', 'collected_at'])
    .where(within(db, 'release_evidences.release_id', releaseIds))
    .orderBy('id', 'desc')
    .execute()
}

/** Keeps what a job has collected, once. */
export async function insertEvidence(tx: Tx, evidence: Insertable<ReleaseEvidencesTable>): Promise<void> {
  await tx
    .insertInto('release_evidences')
    .values(evidence)
    .onConflict((conflict) => conflict.columns(['release_id', 'job_id']).doNothing())
    .execute()
}

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

export async function countLinks(db: Reader, releaseId: number): Promise<number> {
  const { count } = await db
    .selectFrom('release_links')
    .select((eb) => eb.fn.countAll<number>().as('count'))
    .where('release_id', '=', releaseId)
    .executeTakeFirstOrThrow()
  return Number(count)
}

export async function linkById(db: Reader, releaseId: number, id: number): Promise<LinkRow | null> {
  const query = db.selectFrom('release_links').selectAll().where('release_id', '=', releaseId).where('id', '=', id)
  return (await query.executeTakeFirst()) ?? null
}

/** The link that a release shows at a path of its own. */
export async function linkAt(db: Reader, releaseId: number, filepath: string): Promise<LinkRow | null> {
  const query = db.selectFrom('release_links').selectAll().where('release_id', '=', releaseId)
  return (await query.where('filepath', '=', filepath).executeTakeFirst()) ?? null
}

/** @throws UniqueViolation of `release_links_{name,url,filepath}_unique` */
export async function insertLinks(tx: Tx, links: readonly Insertable<ReleaseLinksTable>[]): Promise<LinkRow[]> {
  return links.length === 0 ? [] : tx.insertInto('release_links').values(links).returningAll().execute()
}

/** @throws UniqueViolation as `insertLinks` */
export async function updateLink(tx: Tx, id: number, changes: Updateable<ReleaseLinksTable>): Promise<LinkRow | null> {
  const query = tx.updateTable('release_links').set(changes).where('id', '=', id)
  return (await query.returningAll().executeTakeFirst()) ?? null
}

export async function deleteLink(tx: Tx, id: number): Promise<boolean> {
  const { numDeletedRows } = await tx.deleteFrom('release_links').where('id', '=', id).executeTakeFirst()
  return numDeletedRows > 0n
}

/** The tags of all releases of a project. */
export async function tagsWithReleases(db: Reader, projectId: number): Promise<string[]> {
  const rows = await db.selectFrom('releases').select('tag').where('project_id', '=', projectId).orderBy('id').execute()
  return rows.map(({ tag }) => tag)
}
