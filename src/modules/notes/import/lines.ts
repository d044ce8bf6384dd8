import type { Tx } from '../../../infra/database/index.ts'
import { emojiName } from '../../../infra/emoji/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import {
  authoredText,
  booleanOf,
  type ImportedLine,
  type Importing,
  type ImportLine,
  integerOf,
  lineOf,
  linesOf,
  shaOf,
  textOf,
  timeOf,
  timesOf,
  userOf,
} from '../../../platform/index.ts'
import { insertAwards } from '../awards/store.ts'
import { insertDiscussions, insertNotes } from '../discussions/store.ts'
import { columnsOf, type NoteableRef, type NoteableType } from '../noteable.ts'
import type { NotePosition } from '../tables.ts'

const longestPath = 4096
const statementRows = 200

/** A line of a diff, as it was; null when the note is on none. @throws BadLine */
function positionOf(line: ImportedLine): NotePosition | null {
  const position = lineOf(line, 'position')
  if (position?.position_type !== 'text') return null
  const [base_sha, start_sha, head_sha] = ['base_sha', 'start_sha', 'head_sha'].map((name) => shaOf(position, name))
  const [old_path, new_path] = ['old_path', 'new_path'].map((name) => textOf(position, name, longestPath))
  const [old_line, new_line] = ['old_line', 'new_line'].map((name) => integerOf(position, name, { least: 1 }) ?? null)
  if (!base_sha || !start_sha || !head_sha || (old_line ?? new_line ?? null) === null) return null
  const [oldPath, newPath] = [old_path ?? new_path, new_path ?? old_path]
  if (!oldPath || !newPath) return null
  const place = { old_path: oldPath, new_path: newPath, old_line: old_line ?? null, new_line: new_line ?? null }
  return { base_sha, start_sha, head_sha, position_type: 'text', ...place }
}

/** A thread with its notes, in their order. */
type Read = ReturnType<typeof readNote>

/** @throws BadLine */
function readNote(into: Importing, line: ImportedLine) {
  const { authorId, text } = authoredText(into, line, textOf(line, 'note') ?? '')
  return {
    thread: typeof line.discussion_id === 'string' ? line.discussion_id : null,
    isThread: line.type === 'DiffNote' || line.type === 'DiscussionNote',
    position: positionOf(line),
    resolved: { resolved_at: timeOf(line, 'resolved_at'), resolved_by_id: userOf(into, line, 'resolved_by_id') },
    note: {
      ...{ author_id: authorId, body: text, system: booleanOf(line, 'system', false) },
      internal: booleanOf(line, 'internal', booleanOf(line, 'confidential', false)),
      ...{ ...timesOf(line), imported_from: into.source },
    },
    awards: linesOf(line, 'award_emoji'),
  }
}

/** The threads of notes: those of one `discussion_id` together, any other alone. */
function threadsOf(notes: readonly Read[]): Read[][] {
  const threads = Map.groupBy(notes, (note, index) => note.thread ?? `alone:${index}`)
  return [...threads.values()]
}

/** Stores the notes of a noteable in their threads, with their award emoji. */
async function storeNotes(tx: Tx, into: Importing, noteable: NoteableRef & { type: NoteableType }, notes: Read[]) {
  const threads = threadsOf(notes)
  const columns = columnsOf(noteable)
  for (let from = 0; from < threads.length; from += statementRows) {
    const portion = threads.slice(from, from + statementRows)
    const ids = await insertDiscussions(
      tx,
      portion.map((thread) => {
        const [first] = thread as [Read]
        const isSingle = thread.length === 1 && !first.isThread
        const row = {
          public_id: randomHex(20),
          individual_note: isSingle,
          position: first.position && JSON.stringify(first.position),
        }
        return { ...columns, ...row, ...first.resolved, created_at: first.note.created_at }
      }),
    )
    const flat = portion.flatMap((thread, index) =>
      thread.map((read) => ({ read, discussion_id: ids[index] as number })),
    )
    for (let start = 0; start < flat.length; start += statementRows) {
      const part = flat.slice(start, start + statementRows)
      const noteIds = await insertNotes(
        tx,
        part.map(({ read, discussion_id }) => ({ ...columns, ...read.note, discussion_id })),
      )
      for (const [index, { read }] of part.entries()) {
        const target = { ...noteable, type: 'Note' as const, id: noteIds[index] as number, commitId: null }
        await importAwards(tx, into, target, read.awards)
      }
    }
  }
}

/** Imports award emoji of users who were found, each once. @throws BadLine */
export async function importAwards(
  tx: Tx,
  into: Importing,
  target: NoteableRef,
  lines: readonly ImportedLine[],
): Promise<void> {
  const awards = new Map(
    lines.flatMap((line) => {
      const userId = userOf(into, line, 'user_id')
      const name = emojiName(textOf(line, 'name', 255) ?? '')
      return userId === null || name === null
        ? []
        : [[`${userId}:${name}`, { userId, name, at: timesOf(line).created_at }] as const]
    }),
  )
  await insertAwards(tx, target, [...awards.values()])
}

/** Imports the notes of a noteable, in the order of the lines. @throws BadLine */
export async function importNotes(
  tx: Tx,
  into: Importing,
  noteable: NoteableRef & { type: NoteableType },
  lines: readonly ImportedLine[],
): Promise<void> {
  await storeNotes(
    tx,
    into,
    noteable,
    lines.map((line) => readNote(into, line)),
  )
}

/** Imports a note of a commit (contract 14, commit_notes). Notes of one thread that are not in one line are threads of their own. */
export const importCommitNote: ImportLine = async (_platform, into, line) => {
  const commitId = shaOf(line, 'commit_id')
  const note = readNote(into, line)
  return async (tx) => {
    if (commitId === null || into.kind !== 'project') return
    await storeNotes(tx, into, { type: 'Commit', projectId: into.id, id: null, commitId }, [note])
  }
}
