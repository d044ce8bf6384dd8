import type { Html } from '../../html/index.ts'
import type { AwardObject } from '../../operations.ts'
import type { Visit } from '../../page.ts'
import { Do } from '../form.tsx'
import type { Conversation } from './conversation.ts'

/** The emoji that are offered; others are shown when they were given elsewhere. */
const offered: Readonly<Record<string, string>> = {
  thumbsup: '👍',
  thumbsdown: '👎',
  smile: '😄',
  tada: '🎉',
  confused: '😕',
  heart: '❤️',
  rocket: '🚀',
  eyes: '👀',
}

const signOf = (name: string) => offered[name] ?? `:${name}:`

type ReactionsProps = {
  visit: Visit
  reacting: NonNullable<Conversation['awards']>
  call: Record<string, string | number>
  awards: readonly AwardObject[]
  mayReact: boolean
}

/** One emoji with its count: a button where the caller may give it or take it back. */
function Reaction({ visit, reacting, call, awards, mayReact, name }: ReactionsProps & { name: string }): Html {
  const given = awards.filter((award) => award.name === name)
  const own = given.find(({ user }) => user.id === visit.me?.id)
  const who = given.map(({ user }) => user.name).join(', ')
  const words = `${name.replaceAll('_', ' ')}, ${given.length}`
  const shown = (
    <span title={who || undefined}>
      <span aria-hidden="true">{signOf(name)}</span> <span class="hidden">{words}</span>
      {given.length > 0 && <span aria-hidden="true">{given.length}</span>}
    </span>
  )
  if (!mayReact) return <span class="reaction">{shown}</span>
  const change = own ? { ...call, award_id: own.id } : { ...call, name }
  return (
    <span class={own ? 'reaction own' : 'reaction'}>
      <Do visit={visit} performs={own ? reacting.delete : reacting.create} call={change} kind="quiet">
        <span class="hidden">{own ? 'Take back ' : 'React with '}</span>
        {shown}
      </Do>
    </span>
  )
}

/** The reactions to an object or a comment, and a menu to add one. */
export function Reactions(props: ReactionsProps): Html {
  const { awards, mayReact } = props
  const names = [...new Set(awards.map(({ name }) => name))]
  const others = Object.keys(offered).filter((name) => !names.includes(name))
  if (names.length === 0 && !mayReact) return <></>
  return (
    <div class="reactions">
      {names.map((name) => (
        <Reaction {...props} name={name} />
      ))}
      {mayReact && others.length > 0 && (
        <details class="menu react">
          <summary class="quiet" title="Add a reaction">
            <span aria-hidden="true">☺</span>
            <span class="hidden">Add a reaction</span>
          </summary>
          <div class="popup">
            {others.map((name) => (
              <Reaction {...props} name={name} awards={[]} />
            ))}
          </div>
        </details>
      )}
    </div>
  )
}
