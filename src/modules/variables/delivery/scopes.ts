import { wildcardMatcher } from '../../../infra/wildcards/index.ts'

type Scoped = { key: string; environment_scope: string }

/** Exact scopes come before patterns, longer patterns before shorter ones. */
const rankOf = ({ environment_scope: scope }: Scoped) => (scope.includes('*') ? scope.length : Number.POSITIVE_INFINITY)

/**
 * The variables of one owner that a job gets: of each key the one with the most specific scope (contract 03, "Scope rule").
 * @param environment name of the job's environment; null: only the scope `*` counts
 */
export function inScope<V extends Scoped>(variables: readonly V[], environment: string | null): V[] {
  const matching = variables.filter(({ environment_scope: scope }) =>
    environment === null ? scope === '*' : wildcardMatcher(scope)(environment),
  )
  const best = new Map<string, V>()
  for (const variable of matching) {
    const other = best.get(variable.key)
    if (!other || rankOf(variable) > rankOf(other)) best.set(variable.key, variable)
  }
  return [...best.values()]
}
