import { type Actor, ApiError } from '../../api/index.ts'
import type { Subject } from './operation.ts'

/**
 * A copy of a subject that answers forbidden callers with another error, where the contract has one.
 * @param isForbidden callers that are forbidden in addition, whatever their role
 */
export function refusing<S, A extends string>(
  subject: Subject<S, A>,
  refusal: () => ApiError,
  isForbidden: (actor: Actor) => boolean = () => false,
): Subject<S, A> {
  return {
    ...subject,
    async authorize(actor, found, ability) {
      if (isForbidden(actor)) throw refusal()
      try {
        await subject.authorize(actor, found, ability)
      } catch (error) {
        throw error instanceof ApiError && error.status === 403 ? refusal() : error
      }
    },
  }
}
