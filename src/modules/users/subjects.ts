import { failure, forbidden, type InstanceAbility, instance, isAdministrator, type Subject } from '../../api/index.ts'

/** As `instance`, where callers without credentials hear 403 instead of 401 (contract 20, x.users_get). */
export const signedInOr403: Subject<undefined, InstanceAbility> = {
  ...instance,
  opensToAnonymous: () => true,
  authorize(actor) {
    if (actor.kind === 'anonymous') throw forbidden('Not authorized!')
  },
}

/** As `instance` for administrators, with words of its own for those who are none (contract 20, x.users_approve). */
export function administratorsOr403(sentence: string): Subject<undefined, InstanceAbility> {
  return {
    ...instance,
    administratorsOnly: () => false,
    authorize(actor) {
      if (!isAdministrator(actor)) throw failure(403, sentence)
    },
  }
}
