import {
  type Actor,
  isPathNumber,
  notFound,
  operationsOf,
  parameterError,
  recordNotFound,
  type Subject as SubjectOf,
} from '../../api/index.ts'
import { isOpenInMaintenance, requireNoMaintenance } from '../maintenance.ts'
import type { Platform } from '../platform.ts'
import { type Act, actOf } from './acts.ts'

/** Declares an operation. One that changes something is refused in maintenance (contract 20 R18). */
export const operation = operationsOf<Platform, { act: Act }>(
  (spec, context) => ({ act: actOf(spec, context) }),
  (spec) => (isOpenInMaintenance(spec) ? null : requireNoMaintenance),
)

/** What an operation is about. */
export type Subject<S, A extends string> = SubjectOf<S, A, Platform>

/** How a resource below another one is found. */
type Nesting<Parent, A extends string, S> = {
  /** In the documentation and in the generated access test, such as `issue`. */
  name: string
  /** The path parameter that names the resource, such as `issue_iid`. */
  parameter: string
  /** The ability on the parent without which the resource does not exist for the caller: answered by 404. */
  read: A
  /** What a 404 calls the resource, such as `Issue`; without it the text is `404 Not found`. */
  noun?: string
  /** Finds the resource; null when there is none, or when this caller may not know of it (confidential ones). */
  find(platform: Platform, parent: Parent, id: string, actor: Actor): Promise<S | null>
  parentOf(resource: S): Parent
}

/**
 * A subject below another one: an issue of a project, an epic of a group, a pipeline. The parent is found first, then the
 * caller's right to read resources of this kind is checked, then the resource is looked up. Abilities are those of the parent.
 */
export function nested<Parent, A extends string, S>(
  parent: Subject<Parent, A>,
  { name, parameter, read, noun, find, parentOf }: Nesting<Parent, A, S>,
): Subject<S, A> {
  return {
    name,
    nested: { parent, read },
    opensToAnonymous: parent.opensToAnonymous,
    administratorsOnly: parent.administratorsOnly,
    async find(platform, request, actor) {
      const above = await parent.find(platform, request, actor)
      await parent.authorize(actor, above, read)
      const resource = await find(platform, above, request.path[parameter] ?? '', actor)
      if (resource === null) throw noun === undefined ? recordNotFound() : notFound(noun)
      return resource
    },
    authorize: (actor, resource, ability) => parent.authorize(actor, parentOf(resource), ability),
  }
}

/**
 * Reads the number of a nested resource from the path. A number outside the range of ids is that of no resource, 0.
 * @throws ApiError 400 `<name> is invalid` for other text
 */
export function pathNumber(name: string, text: string): number {
  if (!isPathNumber(text)) throw parameterError(name, 'is invalid')
  return Number.isSafeInteger(Number(text)) ? Number(text) : 0
}
