import { failure, forbidden, type InstanceAbility, isAdministrator, unauthorized } from '../../../api/index.ts'
import type { Subject } from '../../../platform/index.ts'
import { nodeOfToken } from '../protocol/credentials/authentication.ts'
import type { NodeRow } from '../tables.ts'

/** Who calls an operation on nodes: an administrator, or a node that changes its own record. */
export type NodeCaller = { kind: 'administrator' } | { kind: 'node'; node: NodeRow }

/** The refusal of a node token where it cannot act (contract 3.42). */
export const refusedToNode = () => failure(400, '400 Bad request')

/** The records of nodes: for administrators, and of its own record for a secondary with its token (contract 3.42). */
export const nodeRecords: Subject<NodeCaller, InstanceAbility> = {
  name: 'instance',
  // Anonymous callers are refused by `find`: a node token is no credential of a user.
  opensToAnonymous: () => true,
  administratorsOnly: () => false,
  async find(platform, request, actor) {
    const node = await nodeOfToken(platform, request)
    if (node) {
      if (request.method !== 'PUT' || request.path.id !== String(node.id)) throw refusedToNode()
      return { kind: 'node', node }
    }
    if (actor.kind === 'anonymous') throw unauthorized()
    if (!isAdministrator(actor)) throw forbidden()
    return { kind: 'administrator' }
  },
  authorize: () => {},
}
