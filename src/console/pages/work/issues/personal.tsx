import type { Html } from '../../../html/index.ts'
import { issuesUpdate, todosDone, todosList } from '../../../operations.ts'
import type { Visit } from '../../../page.ts'
import { Do } from '../../../parts/form.tsx'
import { Avatar } from '../../../parts/parts.tsx'
import { issueOperations } from './names.ts'
import type { ReadIssue } from './read.ts'

/** What an issue is to the caller, and who takes part in it. */
export type Personal = {
  participants: readonly { name: string; username: string }[]
  /** The to-do of the caller for it. */
  todoId: number | null
  mayTakePart: boolean
}

/** Reads who takes part in an issue, and whether it is on the to-do list of the caller. */
export async function readPersonal(visit: Visit, { issue, call }: ReadIssue): Promise<Personal> {
  const { participants, subscribe } = issueOperations
  const [people, todos, mayTakePart] = await Promise.all([
    visit.find(participants, { ...call, per_page: 50 }) as Promise<{ items: Personal['participants'] } | null>,
    visit.me && visit.find(todosList, { project_id: issue.project_id, type: 'Issue', per_page: 100 }),
    visit.may(subscribe, call),
  ])
  const todo = todos?.items.find(({ target }) => (target as { id?: number } | null)?.id === issue.id)
  return { participants: people?.items ?? [], todoId: todo?.id ?? null, mayTakePart }
}

/** Notifications, the to-do list, and who may read and write. */
export function PersonalParts({ visit, of, personal }: { visit: Visit; of: ReadIssue; personal: Personal }): Html {
  const { issue, call, mayChange, mayPlan } = of
  const { participants, todoId, mayTakePart } = personal
  const { subscribe, unsubscribe, todo } = issueOperations
  const { confidential, discussion_locked: isLocked, subscribed } = issue
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
      <section>
        <h2>Who reads and writes</h2>
        <p class="shown">
          {confidential
            ? 'Confidential: only members who plan, its author and its assignees.'
            : 'All who see the issues.'}
          {isLocked && ' Locked: only members comment.'}
        </p>
        <div class="side-buttons">
          {mayChange && (
            <Do
              visit={visit}
              performs={issuesUpdate}
              form="confidential"
              call={{ ...call, confidential: !confidential }}
            >
              {confidential ? 'Make it open' : 'Make it confidential'}
            </Do>
          )}
          {mayPlan && (
            <Do visit={visit} performs={issuesUpdate} form="lock" call={{ ...call, discussion_locked: !isLocked }}>
              {isLocked ? 'Unlock' : 'Lock'}
            </Do>
          )}
        </div>
      </section>
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
