import type { Actor } from './actor.ts'
import { forbidden } from './errors.ts'
import type { RequestInfo } from './request.ts'

/**
 * The resource that an operation acts on: a project, a group, the instance. Finds the resource that the path names, and
 * checks abilities on it. Modules export their subjects (`project`, `group`); operations name them.
 */
// biome-ignore lint/suspicious/noExplicitAny: subjects of modules without the platform have no type for it
export type Subject<S, A extends string = string, E = any> = {
  /** Name for the documentation and the generated access test. */
  readonly name: string
  /** Whether callers without credentials may have this ability at all (else 401 before the look-up). */
  opensToAnonymous(ability: A): boolean
  /** Whether only administrators have this ability (else 403 before the look-up). */
  administratorsOnly(ability: A): boolean
  /**
   * Finds the resource.
   * @throws ApiError 404 when it does not exist or is not visible to the actor, 301/405 when it has moved
   */
  find(platform: E, request: RequestInfo, actor: Actor): Promise<S>
  /**
   * Checks that the actor has an ability on the resource.
   * @throws ApiError 403, or 404 when the feature is off
   */
  authorize(actor: Actor, subject: S, ability: A): void | Promise<void>
  /**
   * Whether finding the resource checks the credentials of a caller whom the operation authenticates itself
   * (`ownAuthentication`): the sender of a body is known then.
   */
  readonly identifiesCaller?: true
  /** Of a nested subject: its parent, and the ability on the parent without which it cannot be found. */
  // biome-ignore lint/suspicious/noExplicitAny: parents of all types
  readonly nested?: { readonly parent: Subject<any, any, any>; readonly read: string }
}

/** The name of the outermost parent of a subject, or of the subject itself. */
export function rootName({ name, nested }: Pick<Subject<unknown>, 'name' | 'nested'>): string {
  return nested ? rootName(nested.parent) : name
}

/** Abilities on the instance. */
export type InstanceAbility = 'public' | 'authenticated' | 'administrator'

/** The instance: for operations without a resource in their path. */
export const instance: Subject<undefined, InstanceAbility, unknown> = {
  name: 'instance',
  opensToAnonymous: (ability) => ability === 'public',
  administratorsOnly: (ability) => ability === 'administrator',
  find: async () => undefined,
  authorize(actor, _subject, ability) {
    if (ability === 'administrator' && !(actor.kind === 'user' && actor.administrator)) throw forbidden()
  },
}
