import { type Actor, ApiError, type Subject } from '../../api/index.ts'

/**
 * The same subject with another answer for those who may not: some operations on tokens refuse in words of their own
 * (contract 20, x.project_tokens_list, x.project_tokens_create).
 * @param isRefused who else may not, whatever their role
 */
export function refusing<S, A extends string>(
  subject: Subject<S, A>,
  refusal: () => ApiError,
  isRefused: (actor: Actor) => boolean = () => false,
): Subject<S, A> {
  return {
    ...subject,
    async authorize(actor, found, ability) {
      if (isRefused(actor)) throw refusal()
      try {
        await subject.authorize(actor, found, ability)
      } catch (error) {
        throw error instanceof ApiError && error.status === 403 ? refusal() : error
      }
    },
  }
}
