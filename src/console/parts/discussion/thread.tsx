import type { Child, Html } from '../../html/index.ts'
import type { DiscussionObject, NoteObject } from '../../operations.ts'
import type { Visit } from '../../page.ts'
import { Confirm } from '../confirm.tsx'
import { Do, Form, visitOfForm } from '../form.tsx'
import { Avatar, Time } from '../parts.tsx'
import { MarkdownField, MarkdownTools, Prose } from '../writing/index.ts'
import { AddToReview, Drafts, type Review } from './drafts.tsx'
import { Reactions } from './reactions.tsx'
import type { Talk } from './read.ts'

type ThreadProps = {
  visit: Visit
  talk: Talk
  discussion: DiscussionObject
  /** Above the comments: the file and line that the thread is about. */
  about?: Child
  /** Below the text of a comment. */
  below?: (note: NoteObject) => Child
}
type NoteProps = Omit<ThreadProps, 'about'> & { note: NoteObject }

const noteAddress = ({ path }: Visit, id: number | string) => `${path.replace(/#.*$/, '')}#note_${id}`

/** The form that changes a comment; it is open after a draft or a refusal. */
function Edit({ visit, talk, discussion, note }: NoteProps): Html {
  const { update } = talk.conversation
  const form = `edit-${note.id}`
  return (
    <details class="edit" open={visitOfForm(visit, update, form).refused !== null}>
      <summary class="quiet">Edit</summary>
      <Form
        visit={visit}
        performs={update}
        form={form}
        call={{ ...talk.call, discussion_id: discussion.id, note_id: note.id }}
        then={noteAddress(visit, note.id)}
        class="stack wide"
      >
        <MarkdownField
          visit={visit}
          operation={update}
          form={form}
          name="body"
          label="Comment"
          value={note.body}
          rows={5}
          required
          isBare
        />
        <div class="buttons">
          <button class="primary">Save</button>
          <MarkdownTools name="body" />
        </div>
      </Form>
    </details>
  )
}

/** What the caller may do with a comment. */
function NoteActions(props: NoteProps): Html {
  const { visit, talk, discussion, note } = props
  const isOwn = visit.me?.id === note.author.id
  if (!isOwn && !talk.mayModerate) return <></>
  return (
    <div class="note-actions">
      <Edit {...props} />
      <Confirm label="Delete" question="Delete this comment?">
        <Do
          visit={visit}
          performs={talk.conversation.delete}
          call={{ ...talk.call, discussion_id: discussion.id, note_id: note.id }}
          kind="danger"
        >
          Delete the comment
        </Do>
      </Confirm>
    </div>
  )
}

function Comment(props: NoteProps): Html {
  const { visit, talk, note, below } = props
  const { noteAwards } = talk.conversation
  const isEdited = note.updated_at > note.created_at
  return (
    <article class="comment" id={`note_${note.id}`}>
      <Avatar name={note.author.name} />
      <div class="said">
        <header>
          <a class="strong" href={`/${note.author.username}`}>
            {note.author.name}
          </a>{' '}
          <span class="soft">@{note.author.username}</span>{' '}
          <a class="soft" href={`#note_${note.id}`}>
            <Time at={note.created_at} />
          </a>
          {isEdited && (
            <span class="soft">
              {' '}
              · edited <Time at={note.updated_at} />
            </span>
          )}
          {note.internal && <span class="tagged internal">internal</span>}
        </header>
        <Prose visit={visit} text={note.body} name={`note-${note.id}`} />
        {below?.(note)}
        {noteAwards && (
          <Reactions
            visit={visit}
            reacting={noteAwards}
            call={{ ...talk.call, note_id: note.id }}
            awards={talk.noteAwards.get(note.id) ?? []}
            mayReact={talk.mayComment}
          />
        )}
        <NoteActions {...props} />
      </div>
    </article>
  )
}

function Reply({ visit, talk, discussion }: ThreadProps): Html {
  const { reply } = talk.conversation
  const form = `reply-${discussion.id}`
  return (
    <details class="reply" open={visitOfForm(visit, reply, form).refused !== null}>
      <summary class="quiet">Reply</summary>
      <Form
        visit={visit}
        performs={reply}
        form={form}
        call={{ ...talk.call, discussion_id: discussion.id }}
        then={noteAddress(visit, '{id}')}
        class="stack wide"
      >
        <MarkdownField visit={visit} operation={reply} form={form} name="body" label="Reply" rows={4} required isBare />
        {talk.review && talk.mayResolve && (
          <label class="check">
            <input type="checkbox" name="resolve_discussion" value="true" /> Resolve the thread with the review
          </label>
        )}
        <div class="buttons">
          <button class="primary">Reply</button>
          {talk.review && <AddToReview visit={visit} review={talk.review} />}
          <MarkdownTools name="body" />
        </div>
      </Form>
    </details>
  )
}

function Resolution({ visit, talk, discussion, isResolved }: ThreadProps & { isResolved: boolean }): Html {
  const { resolve } = talk.conversation
  if (!resolve || !talk.mayResolve) return <></>
  return (
    <Do
      visit={visit}
      performs={resolve}
      call={{ ...talk.call, discussion_id: discussion.id, resolved: !isResolved }}
      then={noteAddress(visit, discussion.notes[0]?.id ?? '')}
      kind="quiet"
    >
      {isResolved ? 'Open again' : 'Resolve'}
    </Do>
  )
}

/** The drafts of the caller that answer a thread. */
const draftsIn = (review: Review | null | undefined, { id }: DiscussionObject) =>
  (review?.drafts ?? []).filter((draft) => draft.discussion_id === id)

/** A thread with its replies; one that is resolved is folded, unless the caller has drafts in it. */
export function Thread(props: ThreadProps): Html {
  const { visit, talk, discussion, about, below } = props
  const { notes } = discussion
  const drafts = draftsIn(talk.review, discussion)
  const resolvable = notes.find((note) => note.resolvable)
  const isResolved = resolvable?.resolved === true
  const comments = notes
    .filter(({ system }) => !system)
    .map((note) => <Comment visit={visit} talk={talk} discussion={discussion} note={note} below={below} />)
  const answers = talk.review && <Drafts visit={visit} review={talk.review} drafts={drafts} />
  const end = (talk.mayComment || resolvable) && (
    <footer class="thread-end">
      {talk.mayComment && <Reply {...props} />}
      {resolvable && <Resolution {...props} isResolved={isResolved} />}
    </footer>
  )
  if (!isResolved) {
    return (
      <div class="thread">
        {about}
        {comments}
        {answers}
        {end}
      </div>
    )
  }
  return (
    <details class="thread resolved" open={drafts.length > 0}>
      <summary>
        Resolved by {resolvable?.resolved_by?.name ?? 'a former user'}: {notes.length}{' '}
        {notes.length === 1 ? 'comment' : 'comments'} of {notes[0]?.author.name}
      </summary>
      {about}
      {comments}
      {answers}
      {end}
    </details>
  )
}
