/** What an issue or a merge request is to the caller, and who takes part in it. */
import type { Operation } from '../../../api/index.ts'
import type { Html } from '../../html/index.ts'
import { todosDone, todosList } from '../../operations.ts'
import type { Visit } from '../../page.ts'
import { Do } from '../../parts/form.tsx'
import { Avatar } from '../../parts/parts.tsx'
import type { Planned } from './planning.tsx'

type Operations = Readonly<Record<'participants' | 'subscribe' | 'unsubscribe' | 'todo', Operation>>

export type Personal = {
  participants: readonly { name: string; username: string }[]
  /** The to-do of the caller for it. */
  todoId: number | null
  mayTakePart: boolean
}

type Asked = {
  type: 'Issue' | 'MergeRequest'
  item: { id: number; project_id: number }
  call: Planned['call']
  operations: Operations
}

/** Reads who takes part in an object, and whether it is on the to-do list of the caller. */
export async function readPersonal(visit: Visit, { type, item, call, operations }: Asked): Promise<Personal> {
  const { participants, subscribe } = operations
  const [people, todos, mayTakePart] = await Promise.all([
    visit.find(participants, { ...call, per_page: 50 }) as Promise<{ items: Personal['participants'] } | null>,
    visit.me && visit.find(todosList, { project_id: item.project_id, type, per_page: 100 }),
    visit.may(subscribe, call),
  ])
  const todo = todos?.items.find(({ target }) => (target as { id?: number } | null)?.id === item.id)
  return { participants: people?.items ?? [], todoId: todo?.id ?? null, mayTakePart }
}

type ForYouProps = {
  visit: Visit
  call: Planned['call']
  personal: Personal
  isSubscribed: boolean | undefined
  operations: Operations
}

/** Notifications and the to-do list of the caller. */
export function ForYou({ visit, call, personal, isSubscribed, operations }: ForYouProps): Html {
  const { todoId, mayTakePart } = personal
  const { subscribe, unsubscribe, todo } = operations
  if (!mayTakePart) return <></>
  return (
    <section>
      <h2>For you</h2>
      <div class="side-buttons">
        <Do visit={visit} performs={isSubscribed ? unsubscribe : subscribe} call={call}>
          {isSubscribed ? 'Unsubscribe' : 'Subscribe'}
        </Do>
        {todoId === null ? (
          <Do visit={visit} performs={todo} call={call}>
            Add a to-do
          </Do>
        ) : (
          <Do visit={visit} performs={todosDone} call={{ todo_id: todoId }}>
            Mark as done
          </Do>
        )}
      </div>
    </section>
  )
}

/** The button that lets members alone comment, or all again. */
export function LockButton({ planned, isLocked }: { planned: Planned; isLocked: boolean }): Html {
  const { mayPlan, visit, performs, call } = planned
  if (!mayPlan) return <></>
  return (
    <Do visit={visit} performs={performs} form="lock" call={{ ...call, discussion_locked: !isLocked }}>
      {isLocked ? 'Unlock' : 'Lock'}
    </Do>
  )
}

/** The people who take part in an object. */
export function Participants({ personal: { participants } }: { personal: Personal }): Html {
  if (participants.length === 0) return <></>
  return (
    <section>
      <h2>{participants.length === 1 ? '1 participant' : `${participants.length} participants`}</h2>
      <p class="participants">
        {participants.map(({ name, username }) => (
          <a href={`/${username}`} title={name}>
            <Avatar name={name} />
            <span class="hidden">{name}</span>
          </a>
        ))}
      </p>
    </section>
  )
}
