import type { AnswerOf } from '../../../../../api/index.ts'
import type { Html } from '../../../../html/index.ts'
import {
  type approvalsGet,
  type DraftNoteObject,
  draftNotesCreate,
  draftNotesList,
  draftNotesPublishAll,
} from '../../../../operations.ts'
import type { Visit } from '../../../../page.ts'
import { Drafts, type Review } from '../../../../parts/discussion/index.ts'
import { Field, Form, visitOfForm } from '../../../../parts/form.tsx'
import { MarkdownField, MarkdownTools } from '../../../../parts/writing/index.ts'
import { requestAddress } from '../head.tsx'
import type { ReadRequest } from '../read.ts'

/** Reads the drafts of the caller; null where they cannot write any. */
export async function readReview(visit: Visit, { call }: ReadRequest): Promise<Review | null> {
  if (!visit.me || !(await visit.may(draftNotesCreate, call))) return null
  const drafts = await visit.find(draftNotesList, call)
  return drafts && { call, drafts }
}

type AboutProps = { visit: Visit; of: ReadRequest; draft: DraftNoteObject }

/** Where a draft is that stands in no thread of the page. */
function AboutDraft({ visit, of: { request }, draft }: AboutProps): Html {
  const { new_path: path, new_line: added, old_line: removed } = draft.position
  if (draft.discussion_id !== null) {
    return (
      <p class="about-line">
        <a href={`${requestAddress(visit, request)}`}>A reply</a>
      </p>
    )
  }
  if (path === null) return <></>
  const line = added ?? removed
  return (
    <p class="about-line">
      <a href={`${requestAddress(visit, request, '/diffs')}#draft_${draft.id}`}>
        <code>{path}</code> {line !== null && `line ${line}`}
      </a>
    </p>
  )
}

type Approvals = AnswerOf<typeof approvalsGet>

function ApproveField({ visit, approvals }: { visit: Visit; approvals: Approvals }): Html {
  const performs = draftNotesPublishAll
  const { refused } = visitOfForm(visit, performs)
  return (
    <>
      <label class="check">
        <input type="checkbox" name="approve" value="true" checked={refused?.values.approve === 'true'} /> Approve the
        merge request
      </label>
      {approvals.require_password_to_approve === true && (
        <Field visit={visit} operation={performs} name="approval_password" options={{ label: 'Your password' }} />
      )}
    </>
  )
}

type ReviewProps = {
  visit: Visit
  of: ReadRequest
  review: Review
  /** Drafts that the page shows nowhere else. */
  others: readonly DraftNoteObject[]
  approvals: Approvals | null
}

/** The drafts of the caller, and the form that publishes all of them. */
export function ReviewBox({ visit, of, review, others, approvals }: ReviewProps): Html {
  const performs = draftNotesPublishAll
  const { drafts, call } = review
  if (drafts.length === 0) return <></>
  const mayApprove = of.request.state === 'opened' && approvals?.user_can_approve === true
  return (
    <section class="panel review-box" aria-label="Your review" id="review">
      <h2>
        Your review <span class="count">{drafts.length}</span>
      </h2>
      <p class="soft">
        {drafts.length === 1 ? '1 draft' : `${drafts.length} drafts`}, which only you see until you submit.
      </p>
      <Drafts
        visit={visit}
        review={review}
        drafts={others}
        aboutOf={(draft) => <AboutDraft visit={visit} of={of} draft={draft} />}
      />
      <Form visit={visit} performs={performs} call={call} then={requestAddress(visit, of.request)} class="stack wide">
        <MarkdownField visit={visit} operation={performs} name="note" label="Summary (optional)" rows={3} />
        {mayApprove && approvals && <ApproveField visit={visit} approvals={approvals} />}
        <div class="buttons">
          <button class="primary">Submit the review</button>
          <MarkdownTools name="note" />
        </div>
      </Form>
    </section>
  )
}
