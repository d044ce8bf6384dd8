import type { Child, Html } from '../../../../html/index.ts'
import type { DiscussionObject, DraftNoteObject, NoteObject } from '../../../../operations.ts'
import type { Visit } from '../../../../page.ts'
import { Drafts, Thread } from '../../../../parts/discussion/index.ts'
import { withQuery } from '../../../../parts/parts.tsx'
import { Suggestions } from '../suggestions.tsx'
import { isOf, type LineThreads, type Version } from './read.ts'

type Range = NonNullable<NonNullable<DiscussionObject['notes'][number]['position']>['line_range']>

const numberOf = ({ new_line: after, old_line: before }: Range['start']) => after ?? before

/** The lines of a thread that is about several. */
function aboutRange({ notes }: DiscussionObject): Child {
  const range = notes[0]?.position?.line_range
  if (!range) return null
  return (
    <p class="about-line">
      Lines {numberOf(range.start)} to {numberOf(range.end)}
    </p>
  )
}

const suggestedBy =
  (visit: Visit, { mayApply }: LineThreads) =>
  (note: NoteObject): Child => <Suggestions visit={visit} note={note} mayApply={mayApply} />

type TalkProps = {
  visit: Visit
  threads: LineThreads
  of: readonly DiscussionObject[]
  drafts: readonly DraftNoteObject[]
}

/** The threads on a line or a file, and the drafts of the caller. */
export function LineTalk({ visit, threads, of, drafts }: TalkProps): Html {
  const { review } = threads.talk
  return (
    <div class="line-talk">
      {of.map((discussion) => (
        <Thread
          visit={visit}
          talk={threads.talk}
          discussion={discussion}
          about={aboutRange(discussion)}
          below={suggestedBy(visit, threads)}
        />
      ))}
      {review && <Drafts visit={visit} review={review} drafts={drafts} />}
    </div>
  )
}

type OtherProps = { visit: Visit; threads: LineThreads; path: string; versions: readonly Version[] }

/** Threads on lines of a file in other versions, each with a link to that version. */
export function OtherThreads({ visit, threads, path, versions }: OtherProps): Html {
  const all = threads.byFile.get(path) ?? []
  if (all.length === 0) return <></>
  const isOpen = all.some(({ notes }) => notes.some(({ resolvable, resolved }) => resolvable && resolved === false))
  return (
    <details class="other-threads" open={isOpen}>
      <summary>
        {all.length === 1 ? '1 thread' : `${all.length} threads`} on {all.length === 1 ? 'a line' : 'lines'} of another
        version
      </summary>
      {all.map((discussion) => {
        const position = discussion.notes[0]?.position
        const version = versions.find((one) => isOf(discussion, one))
        const line = position?.new_line ?? position?.old_line
        const shown = version && (
          <p class="about-line">
            <a href={withQuery(visit.path, { version: version.id, at: null, file: null, thread: discussion.id })}>
              Line {line} at {version.head_commit_sha.slice(0, 8)}
            </a>
          </p>
        )
        return (
          <Thread
            visit={visit}
            talk={threads.talk}
            discussion={discussion}
            about={shown}
            below={suggestedBy(visit, threads)}
          />
        )
      })}
    </details>
  )
}
