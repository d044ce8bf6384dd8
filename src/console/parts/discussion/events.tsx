import type { Html } from '../../html/index.ts'
import { Label, Time } from '../parts.tsx'

export type Person = { username: string; name: string }

/** What the lists of changes have: of each kind some of these members. */
export type EventObject = {
  id: number
  user: Person
  created_at: string
  action?: 'add' | 'remove'
  label?: { name: string; color: string } | null
  milestone?: { title: string; web_url: string }
  iteration?: { title: string | null; start_date: string; due_date: string; web_url: string }
  weight?: number | null
  state?: string
  source_commit?: string | null
}

/** Changes that one user made at once, of the same kind. */
export type EventGroup = { kind: string; user: Person; at: string; events: readonly EventObject[] }

/** Puts changes together that one user made at the same moment. @param events oldest first */
export function groupEvents(kind: string, events: readonly EventObject[]): EventGroup[] {
  const groups: (EventGroup & { events: EventObject[] })[] = []
  for (const event of events) {
    const last = groups.at(-1)
    if (last && last.at === event.created_at && last.user.username === event.user.username) last.events.push(event)
    else groups.push({ kind, user: event.user, at: event.created_at, events: [event] })
  }
  return groups
}

/** The path of an object of this server. */
export const pathOfUrl = (url: string) => (URL.canParse(url) ? new URL(url).pathname : '/')

/** Labels that were added or removed at once. */
function LabelChanges({ events, action }: { events: readonly EventObject[]; action: 'add' | 'remove' }): Html {
  const changed = events.filter((event) => event.action === action)
  if (changed.length === 0) return <></>
  return (
    <span>
      {action === 'add' ? 'added ' : 'removed '}
      {changed.map(({ label }) => (label ? <Label name={label.name} color={label.color} /> : 'a former label'))}{' '}
    </span>
  )
}

function Planned({
  action,
  noun,
  title,
  url,
}: {
  action?: string | undefined
  noun: string
  title: string
  url: string
}) {
  return (
    <span>
      {action === 'remove' ? 'removed the' : 'set the'} {noun} <a href={pathOfUrl(url)}>{title}</a>{' '}
    </span>
  )
}

function Change({ kind, event }: { kind: string; event: EventObject }): Html {
  const { action, milestone, iteration, weight, state, source_commit: commit } = event
  if (milestone) return <Planned action={action} noun="milestone" title={milestone.title} url={milestone.web_url} />
  if (iteration) {
    const title = iteration.title ?? `${iteration.start_date} – ${iteration.due_date}`
    return <Planned action={action} noun="iteration" title={title} url={iteration.web_url} />
  }
  if (kind === 'weight')
    return <span>{typeof weight === 'number' ? `set the weight to ${weight} ` : 'removed the weight '}</span>
  return (
    <span>
      {state} this{commit ? ` with ${commit.slice(0, 8)}` : ''}{' '}
    </span>
  )
}

/** A line between comments that says what was changed. */
export function EventLine({ group: { kind, user, at, events } }: { group: EventGroup }): Html {
  return (
    <li class="event">
      <a class="strong" href={`/${user.username}`}>
        {user.name}
      </a>{' '}
      {kind === 'label' ? (
        <>
          <LabelChanges events={events} action="add" />
          <LabelChanges events={events} action="remove" />
        </>
      ) : (
        events.map((event) => <Change kind={kind} event={event} />)
      )}
      <span class="soft">
        <Time at={at} />
      </span>
    </li>
  )
}
