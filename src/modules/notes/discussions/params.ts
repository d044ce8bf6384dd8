import { type ParamValues, t } from '../../../api/index.ts'

/** The text of a note. */
export const noteBody = t.string({ description: 'Markdown; up to 1,000,000 characters.' })

export const backdated = t.datetime({ description: 'Only for owners of the project and administrators; else ignored.' })

/** Parameters of x.issue_note_list. */
export const noteList = {
  order_by: t.oneOf(['created_at', 'updated_at'], { description: 'Default `created_at`.' }),
  sort: t.oneOf(['desc', 'asc'], { description: 'Default `desc`.' }),
  activity_filter: t.oneOf(['all_notes', 'only_comments', 'only_activity'], { description: 'Default `all_notes`.' }),
}
export type NoteList = ParamValues<typeof noteList>

export const internal = t.boolean({ description: 'Only for those who may read internal notes; else ignored.' })

/** Parameters of x.issue_note_create. */
export const newNote = {
  body: t.required(noteBody),
  internal,
  confidential: t.boolean({ description: 'Deprecated: use `internal`.' }),
  created_at: backdated,
}
