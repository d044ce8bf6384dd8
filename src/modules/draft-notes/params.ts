import { type ParamValues, t } from '../../api/index.ts'
import { anyPositionParam } from '../notes/index.ts'

const text = 'Markdown with quick actions, which run when it is published; up to 1,000,000 characters.'

/** Parameters of x.draft_note_create. */
export const newDraft = {
  note: t.required(t.string({ description: text })),
  in_reply_to_discussion_id: t.string({ description: 'Id of the thread that it answers.' }),
  resolve_discussion: t.boolean({ description: 'Whether its thread is resolved when it is published. Default false.' }),
  commit_id: t.string({ maxLength: 64, description: 'The commit that it is about; `undefined` says none.' }),
  position: anyPositionParam,
}
export type NewDraft = ParamValues<typeof newDraft>

/** Parameters of x.draft_note_update. */
export const draftChanges = { note: t.string({ blank: false, description: text }), position: anyPositionParam }
export type DraftChanges = ParamValues<typeof draftChanges>

/** Parameters of x.draft_note_bulk_publish. */
export const submission = {
  note: t.string({ description: 'A comment that is published after the drafts.' }),
  approve: t.boolean({ description: 'Whether the merge request is approved as well. Default false.' }),
  approval_password: t.string({ description: 'The password of the caller, where the settings ask for it.' }),
}
export type Submission = ParamValues<typeof submission>
