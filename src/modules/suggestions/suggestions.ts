import type { Reader } from '../../infra/database/index.ts'
import { parseOid, treePath } from '../../infra/git/index.ts'
import { valuesByKey } from '../../infra/grouping/index.ts'
import type { Events, Platform, Ports, Reaction } from '../../platform/index.ts'
import { openRepository } from '../../platform/repositories/index.ts'
import { type MergeRequestRow, mergeRequestsByIds } from '../merge-requests/index.ts'
import { discussionsByIds, type LineOfNote, linesOfNotes, noteById, type PresentedSuggestion } from '../notes/index.ts'
import { blocksIn } from './blocks.ts'
import { replaceSuggestions, suggestionsOf } from './store.ts'
import type { SuggestionRow } from './tables.ts'

/** Files above are not read for what a suggestion replaces, in bytes. */
const largestFile = 1024 * 1024

/** A suggestion with the line that its note is on, and its merge request. */
export type WithLine = SuggestionRow & { note: LineOfNote; request: MergeRequestRow }

/** The suggestions of notes on lines of merge requests, in their order. */
export async function suggestionsWithLines(db: Reader, noteIds: readonly number[]): Promise<WithLine[]> {
  const rows = await suggestionsOf(db, noteIds)
  const notes = await linesOfNotes(db, [...new Set(rows.map(({ note_id }) => note_id))])
  const requests = await mergeRequestsByIds(db, [...new Set(notes.map(({ noteable_id: id }) => id ?? 0))])
  const [noteOf, requestOf] = [
    new Map(notes.map((one) => [one.id, one])),
    new Map(requests.map((one) => [one.id, one])),
  ]
  return rows.flatMap((row) => {
    const note = noteOf.get(row.note_id)
    const request = note && requestOf.get(note.noteable_id ?? 0)
    return request ? [{ ...row, note, request }] : []
  })
}

/** The numbers of the first and the last line that a suggestion replaces, in the version that its note is on. */
export function linesOf({ note, lines_above: above, lines_below: below }: WithLine): { from: number; to: number } {
  const at = note.position.new_line ?? 1
  return { from: Math.max(1, at - above), to: at + below }
}

/** The lines of a file at a commit, each with its end; null when it is not there, or not text that is small enough. */
export async function fileLines(platform: Platform, projectId: number, sha: string, path: string) {
  const { repository } = await openRepository(platform, { id: projectId })
  const [oid, valid] = [parseOid(sha), treePath(path)]
  const entry = oid && valid && (await repository.entryAt(oid, valid))
  if (entry?.type !== 'blob') return null
  const info = await repository.object(entry.oid)
  if (!info || info.sizeBytes > largestFile) return null
  const found = await repository.readObject(entry.oid, { maxBytes: largestFile })
  const text = found?.content.toString('utf8') ?? ''
  return text === ''
    ? []
    : text
        .replace(/\n$/, '')
        .split('\n')
        .map((one) => `${one}\n`)
}

/** A suggestion as it is shown. @param lines those of its file, in the version that its note is on */
function present(one: WithLine, lines: readonly string[]): PresentedSuggestion {
  const { id, to_content, request } = one
  const { from, to } = linesOf(one)
  const from_content = lines.slice(from - 1, to).join('')
  const applied = one.commit_sha !== null
  const appliable = !applied && request.state === 'opened' && from_content !== '' && from_content !== to_content
  const to_line = Math.min(to, Math.max(from, lines.length))
  return { id, from_line: from, to_line, appliable, applicable: appliable, applied, from_content, to_content }
}

/** The suggestions of notes, as they are shown with the notes (contract 25, Suggestion). */
export const suggestionsOfNotes: Ports['notes.suggestions'] = async (platform, noteIds) => {
  const all = await suggestionsWithLines(platform.database.read, noteIds)
  const files = new Map<string, ReturnType<typeof fileLines>>()
  const linesFor = ({ note: { position }, request }: WithLine) => {
    const key = `${request.project_id} ${position.head_sha} ${position.new_path}`
    const reading = files.get(key) ?? fileLines(platform, request.project_id, position.head_sha, position.new_path)
    files.set(key, reading)
    return reading
  }
  const shown = await Promise.all(
    all.map(async (one) => ({ one, presented: present(one, (await linesFor(one)) ?? []) })),
  )
  return valuesByKey(
    shown,
    ({ one }) => one.note_id,
    ({ presented }) => presented,
  )
}

/** Stores what a note on a line suggests (contract 25, "Suggestions"). */
export const followSuggestions: Reaction<Events['note.created'] & Events['note.changed']> = async (
  _platform,
  tx,
  { noteId, type },
) => {
  if (type !== 'MergeRequest') return
  const note = await noteById(tx, noteId)
  if (!note) return
  const [discussion] = await discussionsByIds(tx, [note.discussion_id])
  if (!discussion?.position || discussion.position.new_line === null) return
  await replaceSuggestions(tx, noteId, blocksIn(note.body))
}
