import {
  failure,
  type InstanceAbility,
  instance,
  isAdministrator,
  nullable,
  Type,
  t,
  writing,
} from '../../../api/index.ts'
import { operation, type Subject } from '../../../platform/index.ts'
import { rejectUser } from '../removal/removal.ts'
import { changeState, type StateAction } from './states.ts'

const Changed = nullable(Type.Boolean({ description: 'Whether the state changed; null or false when it did not.' }))
const Success = Type.Object({ message: Type.String() })

/** The instance, with another error for callers that are not administrators (contract 20, x.users_approve). */
function administratorsOr403(sentence: string): Subject<undefined, InstanceAbility> {
  return {
    ...instance,
    administratorsOnly: () => false,
    authorize(actor) {
      if (!isAdministrator(actor)) throw failure(403, sentence)
    },
  }
}

const simpleActions: readonly [Exclude<StateAction, 'approve'>, string][] = [
  ['block', 'Block a user'],
  ['unblock', 'Unblock a user'],
  ['ban', 'Ban a user'],
  ['unban', 'Unban a user'],
  ['activate', 'Activate a deactivated user'],
  ['deactivate', 'Deactivate a dormant user'],
]

const shared = {
  method: 'POST',
  tag: 'Users',
  allow: 'administrator',
  scopes: writing,
  params: { id: t.id({ otherwise: 'route' }) },
} as const

/** Actions on the state of an account (contract 20, x.users_block and following). */
export const stateOperations = [
  ...simpleActions.map(([action, summary]) =>
    operation({
      ...shared,
      id: `users.${action}`,
      contract: `x.users_${action}`,
      path: `/users/:id/${action}`,
      summary,
      subject: instance,
      result: [201, Changed],
      run: ({ platform, params, actor }) => changeState(platform, action, params.id, actor),
    }),
  ),
  operation({
    ...shared,
    id: 'users.approve',
    contract: 'x.users_approve',
    path: '/users/:id/approve',
    summary: 'Approve a user who is pending approval',
    subject: administratorsOr403('You are not allowed to approve a user'),
    result: [201, Success],
    async run({ platform, params, actor }) {
      await changeState(platform, 'approve', params.id, actor)
      return { message: 'Success' }
    },
  }),
  operation({
    ...shared,
    id: 'users.reject',
    contract: 'x.users_reject',
    path: '/users/:id/reject',
    summary: 'Reject a user who is pending approval',
    subject: administratorsOr403('You are not allowed to reject a user'),
    result: [200, Success],
    async run({ platform, params, actor }) {
      await rejectUser(platform, params.id, actor)
      return { message: 'Success' }
    },
  }),
]
