import { type SelectQueryBuilder, sql } from 'kysely'
import { type Page, type PageRequest, pageOfIds, pageOfRows } from '../../../api/index.ts'
import {
  acquireLock,
  type Condition,
  type Reader,
  rows,
  type Tables,
  type TestUse,
  type Tx,
  within,
} from '../../../infra/database/index.ts'
import { hasFewProjects, isOfProjectBelow, rowsByProject } from '../../projects/index.ts'
import { type ReleaseRow, releases } from '../tables.ts'
import type { GroupReleaseFilter, ReleaseFilter } from './params.ts'

export const { byId: releaseById, insert: insertRelease, update: updateRelease, remove: deleteRelease } = rows(releases)

const { byIds: releasesByIds } = rows(releases)

type Chosen = SelectQueryBuilder<Tables, 'releases', object>

/** The chosen releases in the order of the filter. */
function inOrder(
  chosen: Chosen,
  { order_by: order = 'released_at', sort = 'desc' }: Pick<ReleaseFilter, 'order_by' | 'sort'>,
) {
  return chosen.orderBy(`releases.${order}`, sort).orderBy('releases.id', sort)
}

/** A page of the releases of a project. */
export async function pageOfReleases(db: Reader, projectId: number, filter: ReleaseFilter, page: PageRequest) {
  const { updated_before: before, updated_after: after } = filter
  let chosen: Chosen = db.selectFrom('releases').where('releases.project_id', '=', projectId)
  if (before !== undefined) chosen = chosen.where('releases.updated_at', '<=', before)
  if (after !== undefined) chosen = chosen.where('releases.updated_at', '>=', after)
  return pageOfRows(db, inOrder(chosen, filter).selectAll('releases'), page)
}

/** A page of the releases of all projects below a group that meet the conditions. */
export async function pageOfGroupReleases(
  db: Reader,
  groupId: number,
  conditions: (use: TestUse) => readonly Condition[],
  filter: GroupReleaseFilter,
  page: PageRequest,
): Promise<Page<ReleaseRow>> {
  const isFew = await hasFewProjects(db, groupId, 'releases')
  const isBelow = (column: `${string}.project_id`, use: TestUse) =>
    isOfProjectBelow(db, column, groupId, conditions(use), isFew)
  const found = isFew
    ? db.selectFrom('releases').where(isBelow('releases.project_id', 'counts'))
    : rowsByProject(db, 'releases').where(isBelow('of.project_id', 'counts'))
  const read = db.selectFrom('releases').where(isBelow('releases.project_id', 'tests'))
  // An index has the projects and the dates.
  const idsOf = (chosen: Chosen) => inOrder(chosen, filter).select('releases.id')
  return pageOfIds(db, idsOf(read), page, (ids) => releasesByIds(db, ids), idsOf(found))
}

export async function releaseOnTag(db: Reader, projectId: number, tag: string): Promise<ReleaseRow | null> {
  const query = db.selectFrom('releases').selectAll().where('project_id', '=', projectId).where('tag', '=', tag)
  return (await query.executeTakeFirst()) ?? null
}

export async function releasesOnTags(db: Reader, projectId: number, tags: readonly string[]): Promise<ReleaseRow[]> {
  const query = db.selectFrom('releases').selectAll().where('project_id', '=', projectId)
  return query.where(within(db, 'releases.tag', tags)).execute()
}

/** The release with the latest date; an upcoming one only when there is no other. */
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

/** Serialises what creates and deletes releases of a project, until the transaction ends. */
export async function lockReleases(tx: Tx, projectId: number): Promise<void> {
  await acquireLock(tx, `releases:${projectId}`)
}

export async function deleteReleasesOnTags(tx: Tx, projectId: number, tags: readonly string[]): Promise<void> {
  const query = tx.deleteFrom('releases').where('project_id', '=', projectId)
  await query.where(within(tx, 'releases.tag', tags)).execute()
}

const atOnce = 500

/** Stores the new commits of tags that have moved. */
export async function moveReleases(tx: Tx, projectId: number, moved: readonly { tag: string; sha: string | null }[]) {
  for (let from = 0; from < moved.length; from += atOnce) {
    const some = moved.slice(from, from + atOnce)
    const tags = some.map(({ tag }) => tag)
    const cases = some.map(({ tag, sha }) => sql`when ${tag} then ${sha}`)
    await tx
      .updateTable('releases')
      .set({ sha: sql<string | null>`case tag ${sql.join(cases, sql` `)} end` })
      .where('project_id', '=', projectId)
      .where(within(tx, 'releases.tag', tags))
      .execute()
  }
}

/** Replaces the author of releases. @param to null removes the author */
export async function replaceAuthor(tx: Tx, from: number, to: number | null): Promise<void> {
  await tx.updateTable('releases').set({ author_id: to }).where('author_id', '=', from).execute()
}

/** The tags of all releases of a project. */
export async function tagsWithReleases(db: Reader, projectId: number): Promise<string[]> {
  const rows = await db.selectFrom('releases').select('tag').where('project_id', '=', projectId).orderBy('id').execute()
  return rows.map(({ tag }) => tag)
}
