import type { Child, Html } from '../../html/index.ts'
import type { Visit } from '../../page.ts'
import { Form, visitOfForm } from '../form.tsx'
import { withQuery } from '../parts.tsx'
import { MarkdownField, MarkdownTools } from '../writing/index.ts'
import { AddToReview } from './drafts.tsx'
import { type QuickActionKind, QuickActions } from './quick-actions.tsx'
import type { Talk } from './read.ts'

type CommentFormProps = {
  visit: Visit
  talk: Talk
  /** Whether the page performs the upload of files. */
  uploads?: boolean
  /** Whether the caller may write comments that only members read. */
  mayBeInternal?: boolean
  /** The kind whose quick actions the help names. */
  quickActions?: QuickActionKind
  /** Beside the buttons. */
  children?: Child
}

/** Where a new comment is shown: on the last page of the discussion. */
function lastAddress({ path }: Visit, { pages: { last } }: Talk): string {
  return `${withQuery(path, { page: last === 1 ? null : last })}#note_{id}`
}

/** The form for a new comment or thread, with a preview, files and help. */
export function CommentForm(props: CommentFormProps): Html {
  const { visit, talk, uploads = false, mayBeInternal = false, quickActions, children } = props
  const { comment, start } = talk.conversation
  const { refused } = visitOfForm(visit, comment, 'comment')
  return (
    <Form
      visit={visit}
      performs={comment}
      form="comment"
      call={talk.call}
      then={lastAddress(visit, talk)}
      class="stack wide comment-form"
      uploads={uploads}
    >
      <MarkdownField visit={visit} operation={comment} form="comment" name="body" label="Comment" rows={5} required />
      {mayBeInternal && (
        <div class="check">
          <input
            type="checkbox"
            id="comment-internal"
            name="internal"
            value="true"
            checked={refused?.values.internal === 'true'}
          />
          <label for="comment-internal">Internal: only members read it</label>
        </div>
      )}
      <div class="buttons">
        <button class="primary">Comment</button>
        {start && (
          <button name="_operation" value={start.id}>
            Start a thread
          </button>
        )}
        {talk.review && <AddToReview visit={visit} review={talk.review} />}
        {children}
        <MarkdownTools name="body" uploads={uploads} />
      </div>
      {quickActions && <QuickActions kind={quickActions} />}
    </Form>
  )
}
