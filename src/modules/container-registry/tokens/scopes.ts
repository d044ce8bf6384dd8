import { isRepositoryName } from '../repositories/names.ts'

/** What a token can permit; `*` is everything, and granted only whole (contract 02 R2). */
export const repositoryActions = ['pull', 'push', 'delete', '*'] as const
export type RepositoryAction = (typeof repositoryActions)[number]

/** What a client asks for on one repository, in the order in which it asks. */
export type RepositoryScope = { kind: 'repository'; name: string; actions: readonly RepositoryAction[] }

/** One resource that a client asks for. */
export type Scope = RepositoryScope | { kind: 'catalog' }

const isAction = (text: string): text is RepositoryAction => repositoryActions.some((action) => action === text)

/** Reads `repository:<name>:<actions>` or `registry:catalog:*`; null for everything else. */
function readScope(text: string): Scope | null {
  const [first, last] = [text.indexOf(':'), text.lastIndexOf(':')]
  if (first < 0 || first === last) return null
  const [type, name, rest] = [text.slice(0, first), text.slice(first + 1, last), text.slice(last + 1)]
  if (type === 'registry') return name === 'catalog' && rest === '*' ? { kind: 'catalog' } : null
  if (type !== 'repository') return null
  const path = name.toLowerCase()
  const actions = [...new Set(rest.split(',').filter(isAction))]
  return actions.length > 0 && isRepositoryName(path) ? { kind: 'repository', name: path, actions } : null
}

/**
 * Reads the values of the parameter `scope`, each with one scope or several separated by spaces. Malformed scopes, unknown
 * types and unknown actions are left out; scopes of one resource become one (contract 1.9).
 */
export function readScopes(values: readonly string[]): Scope[] {
  const found = new Map<string, Scope>()
  for (const text of values.flatMap((value) => value.split(/\s+/))) {
    const scope = readScope(text)
    if (!scope) continue
    const key = scope.kind === 'catalog' ? '' : scope.name
    const before = found.get(key)
    if (scope.kind === 'repository' && before?.kind === 'repository') {
      found.set(key, { ...scope, actions: [...new Set([...before.actions, ...scope.actions])] })
    } else found.set(key, scope)
  }
  return [...found.values()]
}
