import type { Html } from '../../../html/index.ts'
import { named } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import {
  CommentForm,
  Discussion,
  ObjectReactions,
  performedIn,
  readTalk,
  type Talk,
} from '../../../parts/discussion/index.ts'
import { type SnippetPlace, snippetCall, snippetConversation } from './snippet-places.ts'

const upload = named('project_uploads.create')

/** What the page of a snippet performs in its discussion. */
export const performedInTalk = (place: SnippetPlace) =>
  place === 'project' ? [...performedIn(snippetConversation), upload] : []

/** The discussion of a snippet, and whether the caller may attach files to comments. */
export type SnippetTalk = { talk: Talk; mayUpload: boolean }

/** Reads the discussion of the snippet of a page; null where it has none, or the caller may not read it. */
export async function readSnippetTalk(visit: Visit, place: SnippetPlace): Promise<SnippetTalk | null> {
  if (place !== 'project') return null
  const call = snippetCall(visit, place)
  const [talk, mayUpload] = await Promise.all([
    readTalk(visit, snippetConversation, call),
    visit.may(upload, { id: visit.project.id }),
  ])
  return talk && { talk, mayUpload }
}

/** The reactions to a snippet, its discussion, and the form for a comment. */
export function SnippetDiscussion({ visit, of: { talk, mayUpload } }: { visit: Visit; of: SnippetTalk }): Html {
  return (
    <>
      <ObjectReactions visit={visit} talk={talk} />
      <Discussion visit={visit} talk={talk} />
      {talk.mayComment && <CommentForm visit={visit} talk={talk} uploads={mayUpload} />}
    </>
  )
}
