import type { Reader } from '../../../infra/database/index.ts'
import type { ExportedLine, ExportedLines } from '../../../platform/index.ts'
import { exportedEvents } from '../../events/index.ts'
import { usersByIds } from '../../users/index.ts'
import type { NoteAccess, NoteableType } from '../noteable.ts'
import type { AwardEmojiRow, DiscussionRow, NoteRow } from '../tables.ts'
import { awardsOf, commitNotesAfter, discussionsById, noteCounts, notesOfNoteables } from './store.ts'

const awardLine = ({ name, user_id, created_at, updated_at }: AwardEmojiRow): ExportedLine => ({
  ...{ name, user_id, created_at, updated_at },
})

function typeOf({ individual_note, position }: DiscussionRow): string | null {
  if (position !== null) return 'DiffNote'
  return individual_note ? null : 'DiscussionNote'
}

function noteLine(note: NoteRow, discussion: DiscussionRow | undefined): ExportedLine {
  const { body, author_id, noteable_type, project_id, commit_id, system, internal, created_at, updated_at } = note
  return {
    ...{ note: body, noteable_type, author_id, project_id, commit_id, system, internal, created_at, updated_at },
    type: discussion ? typeOf(discussion) : null,
    discussion_id: discussion?.public_id ?? null,
    position: discussion?.position ?? null,
    resolved_at: discussion?.resolved_at ?? null,
    resolved_by_id: discussion?.resolved_by_id ?? null,
    // Which change a system note records is not stored apart from its text.
    system_note_metadata: null,
  }
}

/** Notes as exports write them, each with its author's name, its award emoji and its events. */
async function noteLines(db: Reader, rows: readonly NoteRow[]): Promise<ExportedLine[]> {
  const ids = rows.map(({ id }) => id)
  const discussions = await discussionsById(
    db,
    rows.map(({ discussion_id }) => discussion_id),
  )
  const authors = await usersByIds(
    db,
    rows.map(({ author_id }) => author_id),
  )
  const awards = await awardsOf(db, 'Note', ids)
  const events = await exportedEvents(db, 'Note', ids)
  return rows.map((row) => ({
    ...noteLine(row, discussions.get(row.discussion_id)),
    author: { name: authors.get(row.author_id)?.name ?? null },
    award_emoji: (awards.get(row.id) ?? []).map(awardLine),
    events: events(row.id),
  }))
}

/** Notes that are in memory at once, unless one noteable has more. */
const notesAtOnce = 2000

/** Divides a portion of noteables so that the notes of each part can be held in memory. */
export async function* dividedByNotes<Row extends { id: number }>(
  db: Reader,
  type: NoteableType,
  rows: readonly Row[],
): AsyncGenerator<Row[]> {
  const counts = await noteCounts(
    db,
    type,
    rows.map(({ id }) => id),
  )
  let part: Row[] = []
  let notes = 0
  for (const row of rows) {
    const own = counts.get(row.id) ?? 0
    if (part.length > 0 && notes + own > notesAtOnce) {
      yield part
      part = []
      notes = 0
    }
    part.push(row)
    notes += own
  }
  if (part.length > 0) yield part
}

/**
 * The notes and award emoji of noteables, as exports embed them (contract 14).
 * @param unreadableAmong as in `NoteAccess`: the system notes that are left out
 */
export async function exportedNotesOf(
  db: Reader,
  type: NoteableType,
  ids: readonly number[],
  unreadableAmong?: NoteAccess['unreadableAmong'],
) {
  const all = await notesOfNoteables(db, type, ids)
  const systemIds = all.filter(({ system }) => system).map(({ id }) => id)
  const hidden = await unreadableAmong?.(systemIds)
  const rows = hidden ? all.filter(({ id }) => !hidden.has(id)) : all
  const lines = await noteLines(db, rows)
  const notes = Map.groupBy(
    rows.map((row, index) => ({ of: row.noteable_id, line: lines[index] as ExportedLine })),
    ({ of }) => of,
  )
  const awards = await awardsOf(db, type, ids)
  return (id: number): { notes: ExportedLine[]; award_emoji: ExportedLine[] } => ({
    notes: (notes.get(id) ?? []).map(({ line }) => line),
    award_emoji: (awards.get(id) ?? []).map(awardLine),
  })
}

/** The notes of the commits of a project (contract 14). */
export const exportedCommitNotes: ExportedLines = async function* (_platform, db, { id: projectId }) {
  let rows = await commitNotesAfter(db, projectId, null)
  for (; rows.length > 0; rows = await commitNotesAfter(db, projectId, rows.at(-1) ?? null)) {
    yield await noteLines(db, rows)
  }
}
