import type { Actor } from './actor.ts'
import { forbidden } from './errors.ts'
import type { RequestInfo } from './request.ts'

/**
 * What an operation is about: the project, the group, the instance as a whole. It finds the thing that the path names
 * and knows who may do what with it. Modules export theirs (`project`, `group`); operations name them.
 */
// biome-ignore lint/suspicious/noExplicitAny: modules of the old shape bring what they need with them
export type Subject<S, A extends string = string, E = any> = {
  /** In the documentation, and in the generated access test. */
  readonly name: string
  /** Whether callers without credentials may have this ability at all (else 401 before the look-up). */
  opensToAnonymous(ability: A): boolean
  /** Whether only administrators have this ability (else 403 before the look-up). */
  administratorsOnly(ability: A): boolean
  /**
   * Finds the thing.
   * @throws ApiError 404 when there is none or the actor may not see it, 301/405 when it has moved
   */
  find(platform: E, request: RequestInfo, actor: Actor): Promise<S>
  /**
   * Throws when the actor may not do this with the thing.
   * @throws ApiError 403, or 404 when the feature is off
   */
  authorize(actor: Actor, subject: S, ability: A): void | Promise<void>
  /** Of a nested subject: its parent, and the ability on the parent without which it cannot be found. */
  // biome-ignore lint/suspicious/noExplicitAny: parents of all types
  readonly nested?: { readonly parent: Subject<any, any, any>; readonly read: string }
}

/** The name of the outermost parent of a subject, or of the subject itself. */
export function rootName({ name, nested }: Pick<Subject<unknown>, 'name' | 'nested'>): string {
  return nested ? rootName(nested.parent) : name
}

/** Abilities that concern no particular thing. */
export type InstanceAbility = 'public' | 'authenticated' | 'administrator'

/** The instance as a whole: for operations whose path names nothing that access hangs on. */
export const instance: Subject<undefined, InstanceAbility, unknown> = {
  name: 'instance',
  opensToAnonymous: (ability) => ability === 'public',
  administratorsOnly: (ability) => ability === 'administrator',
  find: async () => undefined,
  authorize(actor, _subject, ability) {
    if (ability === 'administrator' && !(actor.kind === 'user' && actor.administrator)) throw forbidden()
  },
}
