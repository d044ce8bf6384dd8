import type { Html } from '../../../html/index.ts'
import { mergeRequestsUpdate, todosDone, todosList } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Do } from '../../../parts/form.tsx'
import { Avatar } from '../../../parts/parts.tsx'
import { requestOperations } from './names.ts'
import type { ReadRequest } from './read.ts'

/** What a merge request is to the caller, and who takes part in it. */
export type Personal = {
  participants: readonly { name: string; username: string }[]
  /** The to-do of the caller for it. */
  todoId: number | null
  mayTakePart: boolean
}

/** Reads who takes part in a merge request, and whether it is on the to-do list of the caller. */
export async function readPersonal(visit: Visit, { request, call }: ReadRequest): Promise<Personal> {
  const { participants, subscribe } = requestOperations
  const asked = { project_id: request.project_id, type: 'MergeRequest', per_page: 100 } as const
  const [people, todos, mayTakePart] = await Promise.all([
    visit.find(participants, { ...call, per_page: 50 }) as Promise<{ items: Personal['participants'] } | null>,
    visit.me && visit.find(todosList, asked),
    visit.may(subscribe, call),
  ])
  const todo = todos?.items.find(({ target }) => (target as { id?: number } | null)?.id === request.id)
  return { participants: people?.items ?? [], todoId: todo?.id ?? null, mayTakePart }
}

/** Notifications, the to-do list, who comments, and who takes part. */
export function PersonalParts({ visit, of, personal }: { visit: Visit; of: ReadRequest; personal: Personal }): Html {
  const { request, call, mayPlan } = of
  const { participants, todoId, mayTakePart } = personal
  const { subscribe, unsubscribe, todo } = requestOperations
  const { discussion_locked: isLocked, subscribed } = request
  return (
    <>
      {mayTakePart && (
        <section>
          <h2>For you</h2>
          <div class="side-buttons">
            <Do visit={visit} performs={subscribed ? unsubscribe : subscribe} call={call}>
              {subscribed ? 'Unsubscribe' : 'Subscribe'}
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
      )}
      {mayPlan && (
        <section>
          <h2>Discussion</h2>
          <p class="shown">{isLocked ? 'Locked: only members comment.' : 'Open to all who see it.'}</p>
          <div class="side-buttons">
            <Do
              visit={visit}
              performs={mergeRequestsUpdate}
              form="lock"
              call={{ ...call, discussion_locked: !isLocked }}
            >
              {isLocked ? 'Unlock' : 'Lock'}
            </Do>
          </div>
        </section>
      )}
      {participants.length > 0 && (
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
      )}
    </>
  )
}
