import { instance, nullable, type Operation, operation, Type, writing } from '../../api/index.ts'
import type { UserRemoval } from './removal.ts'
import type { createStateChanges, StateAction } from './states.ts'
import { administratorsOr403 } from './subjects.ts'

type Needs = { changeState: ReturnType<typeof createStateChanges>; removal: UserRemoval }

const Done = nullable(Type.Boolean({ description: 'Whether the state changed; null or false when it was so already.' }))
const Success = Type.Object({ message: Type.String() })
const tag = 'Users'
const numericPath = { id: 'route' } as const

const summaries: Record<Exclude<StateAction, 'approve'>, string> = {
  block: 'Block a user',
  unblock: 'Unblock a user',
  ban: 'Ban a user',
  unban: 'Unban a user',
  activate: 'Activate a deactivated user',
  deactivate: 'Deactivate a user who is not active',
}

/** The actions on the state of an account (contract 20, x.users_block and those beside it). */
export function userStateOperations({ changeState, removal }: Needs): Operation[] {
  const simple = Object.entries(summaries) as [keyof typeof summaries, string][]
  return [
    ...simple.map(([action, summary]) =>
      operation({
        id: `users.${action}`,
        contract: `x.users_${action}`,
        method: 'POST',
        path: `/users/:id/${action}`,
        tag,
        summary,
        subject: instance,
        allow: 'administrator',
        scopes: writing,
        numericPath,
        result: [201, Done],
        run: ({ request, actor }) => changeState(action, request.path.id ?? '', actor),
      }),
    ),
    operation({
      id: 'users.approve',
      contract: 'x.users_approve',
      method: 'POST',
      path: '/users/:id/approve',
      tag,
      summary: 'Approve a user who waits for it',
      subject: administratorsOr403('You are not allowed to approve a user'),
      allow: 'administrator',
      scopes: writing,
      numericPath,
      result: [201, Success],
      async run({ request, actor }) {
        await changeState('approve', request.path.id ?? '', actor)
        return { message: 'Success' }
      },
    }),
    operation({
      id: 'users.reject',
      contract: 'x.users_reject',
      method: 'POST',
      path: '/users/:id/reject',
      tag,
      summary: 'Reject a user who waits for approval',
      subject: administratorsOr403('You are not allowed to reject a user'),
      allow: 'administrator',
      scopes: writing,
      numericPath,
      result: [200, Success],
      async run({ request }) {
        await removal.reject(request.path.id ?? '')
        return { message: 'Success' }
      },
    }),
  ]
}
