import { type RawBuilder, sql } from 'kysely'
import { isAdministrator, type Page, type PageRequest, pageOfRows } from '../../../api/index.ts'
import { type Condition, type NewRowOf, type Reader, rows, type Tx } from '../../../infra/database/index.ts'
import { reachesNamespace, role } from '../../access/index.ts'
import { isVisibleGroup, type Viewer } from '../../groups/index.ts'
import { type EpicLinkRow, epicLinks } from '../tables.ts'

export const { byId: epicLinkById, remove: deleteEpicLink } = rows(epicLinks)

type NewLink = Pick<EpicLinkRow, 'source_id' | 'target_id' | 'link_type' | 'created_at'>

/** @throws UniqueViolation when the epics are related already, in either direction */
export function insertEpicLink(tx: Tx, link: NewLink): Promise<EpicLinkRow> {
  const row = { ...link, updated_at: link.created_at }
  return tx.insertInto('epic_links').values(row).returningAll().executeTakeFirstOrThrow()
}

/** Stores a link, unless its epics are related already. */
export async function insertMissingLink(tx: Tx, link: NewRowOf<typeof epicLinks>): Promise<void> {
  await tx
    .insertInto('epic_links')
    .values(link)
    .onConflict((conflict) => conflict.doNothing())
    .execute()
}

/** The links of an epic in either direction, oldest first. */
export async function linksOfEpic(db: Reader, epicId: number): Promise<EpicLinkRow[]> {
  const { rows } = await sql<EpicLinkRow>`select * from epic_links where source_id = ${epicId}
    union all select * from epic_links where target_id = ${epicId} order by id`.execute(db as never)
  return rows
}

/** Whether the viewer can read the epic of a link, which is looked up (contract 17, Roles). @param end its column */
function isReadable(db: Reader, viewer: Viewer, end: 'source_id' | 'target_id'): Condition {
  const { actor, roles } = viewer
  const isVisible = isVisibleGroup(db, viewer, sql.ref('seen.group_id'))
  const mayBeConfidential = isAdministrator(actor)
    ? sql`1 = 1`
    : sql`(seen.confidential = ${sql.lit(false)}
        or ${reachesNamespace(db, roles, sql.ref('seen.group_id'), role.planner, 'tests')})`
  return sql<boolean>`exists (select 1 from epics seen
    where seen.id = ${sql.ref(`epic_links.${end}`)} and ${isVisible} and ${mayBeConfidential})`
}

/** The ids of the links of which an end is in a group or below it. */
function idsInGroup(groupId: number): RawBuilder<unknown> {
  const ends = (['source_id', 'target_id'] as const).map(
    (end) => sql`select linked.id from namespace_ancestors below
      cross join epics cross join epic_links linked
      where below.ancestor_id = ${groupId} and epics.group_id = below.namespace_id
        and ${sql.ref(`linked.${end}`)} = epics.id`,
  )
  return sql`${sql.join(ends, sql` union `)}`
}

export type LinkFilter = {
  created_after?: string
  created_before?: string
  updated_after?: string
  updated_before?: string
}

/** A page of the links of the epics of a group and below, whose two ends the viewer can read, oldest first. */
export function pageOfLinks(
  db: Reader,
  groupId: number,
  viewer: Viewer,
  filter: LinkFilter,
  page: PageRequest,
): Promise<Page<EpicLinkRow>> {
  let query = db
    .selectFrom('epic_links')
    .selectAll()
    .where(sql<boolean>`epic_links.id in (${idsInGroup(groupId)})`)
    .where(isReadable(db, viewer, 'source_id'))
    .where(isReadable(db, viewer, 'target_id'))
  if (filter.created_after) query = query.where('created_at', '>=', filter.created_after)
  if (filter.created_before) query = query.where('created_at', '<=', filter.created_before)
  if (filter.updated_after) query = query.where('updated_at', '>=', filter.updated_after)
  if (filter.updated_before) query = query.where('updated_at', '<=', filter.updated_before)
  return pageOfRows(db, query.orderBy('id'), page)
}
