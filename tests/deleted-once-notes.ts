/** Makers of notes, threads and reactions of all kinds of noteables. */
import { inNew, newCommit, newIssue, newMergeRequest, snippet, titled } from './deleted-once-work.ts'
import type { Maker, World } from './deleted-once-world.ts'

const note = (body: string) => ({ body })

const notesOf = (parentOf: (world: World) => Promise<string>) =>
  inNew(async (world) => `${await parentOf(world)}/notes`, note)

const awardsOf = (parentOf: (world: World) => Promise<string>) =>
  inNew(
    async (world) => `${await parentOf(world)}/award_emoji`,
    () => ({ name: 'rocket' }),
  )

const discussionNotesOf =
  (parentOf: (world: World) => Promise<string>): Maker =>
  async (world) => {
    const path = `${await parentOf(world)}/discussions`
    const { id, notes } = await world.post(path, note(world.name()))
    return `${path}/${id}/notes/${notes[0].id}`
  }

const newNoteOf =
  (parentOf: (world: World) => Promise<string>) =>
  async (world: World): Promise<string> => {
    const path = `${await parentOf(world)}/notes`
    return `${path}/${(await world.post(path, note('x'))).id}`
  }

async function newSnippet(world: World): Promise<string> {
  const path = `${world.inProject}/snippets`
  return `${path}/${(await world.post(path, snippet(world.name()))).id}`
}

/** The address of an epic by its id, which notes have, or by its iid, which reactions have. */
const newEpic =
  (by: 'id' | 'iid') =>
  async (world: World): Promise<string> => {
    const path = `${world.inGroup}/epics`
    return `${path}/${(await world.post(path, titled(world.name())))[by]}`
  }

async function newEpicNote(world: World): Promise<string> {
  const path = `${world.inGroup}/epics`
  const { id, iid } = await world.post(path, titled(world.name()))
  return `${path}/${iid}/notes/${(await world.post(`${path}/${id}/notes`, note('x'))).id}`
}

/** Makers by the id of the operation. */
export const noteMakers: Readonly<Record<string, Maker>> = {
  'commit_discussions.delete_note': discussionNotesOf(newCommit),
  'merge_request_notes.delete': notesOf(newMergeRequest),
  'merge_request_discussions.delete_note': discussionNotesOf(newMergeRequest),
  'draft_notes.delete': inNew(
    async (world) => `${await newMergeRequest(world)}/draft_notes`,
    (name) => ({ note: name }),
  ),
  'merge_request_awards.delete': awardsOf(newMergeRequest),
  'merge_request_note_awards.delete': awardsOf(newNoteOf(newMergeRequest)),
  'snippet_notes.delete': notesOf(newSnippet),
  'snippet_discussions.delete_note': discussionNotesOf(newSnippet),
  'snippet_awards.delete': awardsOf(newSnippet),
  'snippet_note_awards.delete': awardsOf(newNoteOf(newSnippet)),
  'epic_notes.delete': notesOf(newEpic('id')),
  'epic_discussions.delete_note': discussionNotesOf(newEpic('id')),
  'epic_awards.delete': awardsOf(newEpic('iid')),
  'epic_note_awards.delete': awardsOf(newEpicNote),
  'issue_notes.delete': notesOf(newIssue),
  'issue_discussions.delete_note': discussionNotesOf(newIssue),
  'issue_awards.delete': awardsOf(newIssue),
  'issue_note_awards.delete': awardsOf(newNoteOf(newIssue)),
}
