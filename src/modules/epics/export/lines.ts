import type { Reader } from '../../../infra/database/index.ts'
import type { ExportedLine, ExportedLines, Platform, Portable, Ports } from '../../../platform/index.ts'
import { exportedIssuableParts } from '../../issuables/index.ts'
import { dividedByNotes } from '../../notes/index.ts'
import { readableEpics } from '../core/readable.ts'
import { epicsByIds } from '../core/store.ts'
import { otherEnd, typeSeenFrom } from '../links/links.ts'
import type { EpicRow } from '../tables.ts'
import { epicIssuesOfIssues, epicsAfter, linksOfEpics } from './store.ts'

function columnsOf(row: Omit<EpicRow, 'group_path'>): ExportedLine {
  const { iid, group_id, title, description, state, author_id, created_at, updated_at, confidential } = row
  const { closed_at, closed_by_id, color } = row
  return {
    ...{ iid, group_id, title, description, state, author_id },
    start_date: row.start_date_fixed,
    start_date_is_fixed: row.start_date_is_fixed,
    due_date: row.due_date_fixed,
    due_date_is_fixed: row.due_date_is_fixed,
    ...{ created_at, updated_at, confidential, closed_at, closed_by_id, color },
  }
}

/** The epics of issues, as their exports embed them; those that the caller cannot read are left out. */
export const exportedEpicsOfIssues: Ports['issues.exported_epics'] = async (platform, db, issueIds, actor) => {
  const links = await epicIssuesOfIssues(db, issueIds)
  const rows = await epicsByIds(
    db,
    links.map(({ epic_id }) => epic_id),
  )
  const readable = await readableEpics(platform, db, [...rows.values()], actor)
  const epics = new Map(readable.map((row) => [row.id, columnsOf(row)]))
  return new Map(
    links.flatMap(({ issue_id, epic_id, relative_position }) => {
      const epic = epics.get(epic_id)
      return epic ? [[issue_id, { relative_position, epic }] as const] : []
    }),
  )
}

/** The links of epics to others, as each of them sees them; those to epics that the caller cannot read are left out. */
async function relatedLines(platform: Platform, db: Reader, { actor }: Portable, rows: readonly { id: number }[]) {
  const links = await linksOfEpics(
    db,
    rows.map(({ id }) => id),
  )
  const all = [...links.values()].flat()
  const ends = await epicsByIds(
    db,
    all.flatMap(({ source_id, target_id }) => [source_id, target_id]),
  )
  const readable = await readableEpics(platform, db, [...ends.values()], actor)
  const epics = new Map(readable.map((row) => [row.id, columnsOf(row)]))
  return (id: number): ExportedLine[] =>
    (links.get(id) ?? []).flatMap((link) => {
      const epic = epics.get(otherEnd(id, link))
      const { created_at, updated_at } = link
      return epic ? [{ link_type: typeSeenFrom(id, link), created_at, updated_at, epic }] : []
    })
}

async function linesOf(
  platform: Platform,
  db: Reader,
  portable: Portable,
  rows: readonly Omit<EpicRow, 'group_path'>[],
): Promise<ExportedLine[]> {
  const shared = await exportedIssuableParts(platform, db, portable, 'Epic', new Map(rows.map(({ id }) => [id, null])))
  const parents = await epicsByIds(
    db,
    rows.flatMap(({ parent_id }) => parent_id ?? []),
  )
  const readable = await readableEpics(platform, db, [...parents.values()], portable.actor)
  const parent = new Map(readable.map((row) => [row.id, columnsOf(row)]))
  const related = await relatedLines(platform, db, portable, rows)
  return rows.map((row) => {
    const { events, award_emoji, label_links, notes, resource_label_events, resource_state_events } = shared(
      row.id,
    ).parts
    return {
      ...columnsOf(row),
      parent: parent.get(row.parent_id ?? 0) ?? null,
      ...{ award_emoji, events, label_links, notes, resource_label_events, resource_state_events },
      related_epics: related(row.id),
    }
  })
}

/** The epics of a group (contract 14). */
export const exportedEpics: ExportedLines = async function* (platform, db, portable) {
  let rows = await epicsAfter(db, portable.id, 0)
  for (; rows.length > 0; rows = await epicsAfter(db, portable.id, rows.at(-1)?.iid ?? 0)) {
    for await (const part of dividedByNotes(db, 'Epic', rows)) yield await linesOf(platform, db, portable, part)
  }
}
