import { sql } from 'kysely'
import { type Reader, rows, type Tx, within } from '../../../infra/database/index.ts'
import { type IssueLinkRow, issueLinks } from '../tables.ts'

export const { byId: linkById, remove: deleteLink } = rows(issueLinks)

/** How many open issues each of these issues blocks; those that block none are absent. */
export async function blockedCounts(db: Reader, ids: readonly number[]): Promise<ReadonlyMap<number, number>> {
  if (ids.length === 0) return new Map()
  const rows = await db
    .selectFrom('issue_links')
    .innerJoin('issues', 'issues.id', 'issue_links.target_id')
    .select((eb) => ['issue_links.source_id', eb.fn.countAll<number>().as('count')])
    .where(within(db, 'issue_links.source_id', ids))
    .where('issue_links.link_type', '=', 'blocks')
    .where('issues.state', '=', 'opened')
    .groupBy('issue_links.source_id')
    .execute()
  return new Map(rows.map(({ source_id, count }) => [source_id, Number(count)]))
}

/** The links of an issue in either direction, oldest first. */
export async function linksOf(db: Reader, issueId: number): Promise<IssueLinkRow[]> {
  const { rows } = await db.executeQuery(
    sql<IssueLinkRow>`select * from issue_links where source_id = ${issueId}
      union all select * from issue_links where target_id = ${issueId} order by id`.compile(db as never),
  )
  return rows
}

type NewLink = Pick<IssueLinkRow, 'source_id' | 'target_id' | 'link_type' | 'created_at'>

/** @throws UniqueViolation when the issues are linked already, in either direction */
export async function insertLink(tx: Tx, link: NewLink): Promise<IssueLinkRow> {
  const row = { ...link, updated_at: link.created_at }
  return tx.insertInto('issue_links').values(row).returningAll().executeTakeFirstOrThrow()
}
