import type { Child, Html } from '../../html/index.ts'
import {
  type DraftNoteObject,
  draftNotesCreate,
  draftNotesDelete,
  draftNotesPublish,
  draftNotesUpdate,
} from '../../operations.ts'
import type { Visit } from '../../page.ts'
import { Confirm } from '../confirm.tsx'
import { Do, Form, Other, visitOfForm } from '../form.tsx'
import { MarkdownField, MarkdownTools, Prose } from '../writing/index.ts'

/** The drafts that the caller has on a merge request. */
export type Review = { call: Record<string, string | number>; drafts: readonly DraftNoteObject[] }

/** What a page with drafts performs by forms. */
export const draftOperations = [draftNotesCreate, draftNotesUpdate, draftNotesPublish, draftNotesDelete]

const withoutAnchor = ({ path }: Visit) => path.replace(/#.*$/, '')

/** The button of the form of a comment that keeps the comment as a draft. @param then without it, the draft itself */
export function AddToReview({ visit, review, then }: { visit: Visit; review: Review; then?: string }): Html {
  return (
    <Other
      performs={draftNotesCreate}
      takes={{ note: 'body', in_reply_to_discussion_id: 'discussion_id' }}
      goesTo={then ?? `${withoutAnchor(visit)}#draft_{id}`}
    >
      {review.drafts.length === 0 ? 'Start a review' : 'Add to review'}
    </Other>
  )
}

type DraftProps = { visit: Visit; review: Review; draft: DraftNoteObject }

/** The form that changes a draft; it is open after a preview or a refusal. */
function Edit({ visit, review, draft }: DraftProps): Html {
  const performs = draftNotesUpdate
  const form = `edit-draft-${draft.id}`
  return (
    <details class="edit" open={visitOfForm(visit, performs, form).refused !== null}>
      <summary class="quiet">Edit</summary>
      <Form
        visit={visit}
        performs={performs}
        form={form}
        call={{ ...review.call, draft_note_id: draft.id }}
        then={`${withoutAnchor(visit)}#draft_${draft.id}`}
        class="stack wide"
      >
        <MarkdownField
          visit={visit}
          operation={performs}
          form={form}
          name="note"
          label="Draft"
          value={draft.note}
          rows={5}
          required
          isBare
        />
        <div class="buttons">
          <button class="primary">Save</button>
          <MarkdownTools name="note" />
        </div>
      </Form>
    </details>
  )
}

/** A draft of the caller, with a mark that says so. @param about what it is about */
export function Draft({ visit, review, draft, about }: DraftProps & { about?: Child }): Html {
  const call = { ...review.call, draft_note_id: draft.id }
  return (
    <article class="comment draft" id={`draft_${draft.id}`} aria-label="Draft">
      <div class="said">
        <header>
          <span class="tagged">Draft</span> <span class="soft">Only you see it.</span>
          {draft.resolve_discussion && <span class="soft"> It resolves the thread.</span>}
        </header>
        {about}
        <Prose visit={visit} text={draft.note} name={`note-draft-${draft.id}`} />
        <div class="note-actions">
          <Edit visit={visit} review={review} draft={draft} />
          <Do
            visit={visit}
            performs={draftNotesPublish}
            form={`publish-draft-${draft.id}`}
            call={call}
            then={withoutAnchor(visit)}
            kind="quiet"
          >
            Publish now
          </Do>
          <Confirm label="Delete" question="Delete this draft?">
            <Do visit={visit} performs={draftNotesDelete} call={call} then={withoutAnchor(visit)} kind="danger">
              Delete the draft
            </Do>
          </Confirm>
        </div>
      </div>
    </article>
  )
}

/** Drafts below each other. @param aboutOf what each is about */
export function Drafts({
  visit,
  review,
  drafts,
  aboutOf,
}: Omit<DraftProps, 'draft'> & {
  drafts: readonly DraftNoteObject[]
  aboutOf?: (draft: DraftNoteObject) => Child
}): Html {
  return (
    <>
      {drafts.map((draft) => (
        <Draft visit={visit} review={review} draft={draft} about={aboutOf?.(draft)} />
      ))}
    </>
  )
}
