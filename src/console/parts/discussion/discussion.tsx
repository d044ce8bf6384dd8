import type { Child, Html } from '../../html/index.ts'
import type { DiscussionObject, NoteObject } from '../../operations.ts'
import type { Visit } from '../../page.ts'
import { Pages, Time } from '../parts.tsx'
import { Prose } from '../writing/index.ts'
import { EventLine } from './events.tsx'
import { Reactions } from './reactions.tsx'
import type { Talk } from './read.ts'
import { Thread } from './thread.tsx'

type DiscussionProps = {
  visit: Visit
  talk: Talk
  /** Above a thread: the lines of a diff that it is about. */
  about?: (discussion: DiscussionObject) => Child
  /** Below the text of a comment. */
  below?: (note: NoteObject) => Child
}

/** What the server wrote about an object, as a line between the comments. */
function SystemNote({ visit, note }: { visit: Visit; note: NoteObject }): Html {
  return (
    <li class="event" id={`note_${note.id}`}>
      <a class="strong" href={`/${note.author.username}`}>
        {note.author.name}
      </a>{' '}
      <Prose visit={visit} text={note.body} name={`note-${note.id}`} />{' '}
      <a class="soft" href={`#note_${note.id}`}>
        <Time at={note.created_at} />
      </a>
    </li>
  )
}

/** The reactions to the object itself. */
export function ObjectReactions({ visit, talk }: Pick<DiscussionProps, 'visit' | 'talk'>): Html {
  const { conversation, call, awards, mayComment } = talk
  if (!conversation.awards) return <></>
  return <Reactions visit={visit} reacting={conversation.awards} call={call} awards={awards} mayReact={mayComment} />
}

/** Threads, system notes and changes in the order of time. */
export function Discussion({ visit, talk, about, below }: DiscussionProps): Html {
  const { page, hasNext } = talk.pages
  return (
    <section class="discussion" aria-label="Discussion">
      <ol>
        {talk.entries.map((entry) => {
          if ('group' in entry) return <EventLine group={entry.group} />
          const [first] = entry.discussion.notes
          if (!first) return null
          if (first.system) return <SystemNote visit={visit} note={first} />
          return (
            <li>
              <Thread
                visit={visit}
                talk={talk}
                discussion={entry.discussion}
                about={about?.(entry.discussion)}
                {...(below && { below })}
              />
            </li>
          )
        })}
      </ol>
      <Pages path={visit.path} page={page} of={{ hasNext, items: talk.entries }} />
    </section>
  )
}
