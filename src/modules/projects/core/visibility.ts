import { isWider, type NamespaceRow, type Visibility } from '../../namespaces/index.ts'

type VisibilityBounds = {
  /** The namespace of the project; personal ones set no bound. */
  namespace: Pick<NamespaceRow, 'kind' | 'visibility'>
  /** Levels that the caller may not use. */
  refused?: readonly Visibility[]
  /** Visibility of the project that it was forked from. */
  source?: Visibility
}

/** Problems of a visibility (contract 21 R3, x.projects_create, x.projects_update). */
export function visibilityProblems(
  wanted: Visibility,
  { namespace, refused = [], source }: VisibilityBounds,
): string[] {
  const isTooOpen = namespace.kind === 'group' && isWider(wanted, namespace.visibility)
  return [
    ...(refused.includes(wanted) ? [`${wanted} has been restricted by your GitLab administrator`] : []),
    ...(isTooOpen ? [`${wanted} is not allowed in a ${namespace.visibility} group.`] : []),
    ...(source && isWider(wanted, source)
      ? [`${wanted} is not allowed since the fork source project has lower visibility.`]
      : []),
  ]
}
