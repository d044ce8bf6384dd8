import type { NamespaceRow, Visibility } from '../../namespaces/index.ts'
import type { Problems } from './problems.ts'

/** The levels from the narrowest to the widest (contract 21 R3). */
export const visibilities = ['private', 'internal', 'public'] as const satisfies readonly Visibility[]

/** Whether the first level is wider than the second. */
export function isWider(a: Visibility, b: Visibility): boolean {
  return visibilities.indexOf(a) > visibilities.indexOf(b)
}

type VisibilityBounds = {
  /** The namespace of the project; personal ones set no bound. */
  namespace: Pick<NamespaceRow, 'kind' | 'visibility'>
  /** Levels that only administrators may use. */
  restricted: readonly Visibility[]
  isAdministrator: boolean
  /** Visibility of the project that it was forked from. */
  source?: Visibility
}

const field = 'visibility_level'

/** Adds the reasons against a visibility (contract 21 R3, x.projects_create, x.projects_update). */
export function checkVisibility(wanted: Visibility, bounds: VisibilityBounds, problems: Problems): void {
  const { namespace, restricted, isAdministrator, source } = bounds
  const sentences: string[] = []
  if (restricted.includes(wanted) && !isAdministrator) {
    sentences.push(`${wanted} has been restricted by your GitLab administrator`)
  }
  if (namespace.kind === 'group' && isWider(wanted, namespace.visibility)) {
    sentences.push(`${wanted} is not allowed in a ${namespace.visibility} group.`)
  }
  if (source && isWider(wanted, source)) {
    sentences.push(`${wanted} is not allowed since the fork source project has lower visibility.`)
  }
  if (sentences.length > 0) problems[field] = sentences
}

/**
 * The default visibility of a project: that of the instance, at most the group's, and a narrower one than those that are
 * restricted for the caller.
 */
export function defaultVisibility(byDefault: Visibility, bounds: VisibilityBounds): Visibility {
  const { namespace, restricted, isAdministrator } = bounds
  const widest =
    namespace.kind === 'group' && isWider(byDefault, namespace.visibility) ? namespace.visibility : byDefault
  const possible = visibilities.filter(
    (level) => !isWider(level, widest) && (isAdministrator || !restricted.includes(level)),
  )
  return possible.at(-1) ?? widest
}
