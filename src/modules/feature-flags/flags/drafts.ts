import { failure, parameterErrors, recordNotFound } from '../../../api/index.ts'
import type { ScopeRow } from '../tables.ts'
import type { GivenScope, GivenStrategy } from './params.ts'
import { type RuledStrategy, userListStrategy } from './strategy-rules.ts'

/** A scope as it will be. @property id null for a new one */
export type ScopeDraft = { id: number | null; environment_scope: string }

/** A strategy as it will be. @property id null for a new one */
export type StrategyDraft = RuledStrategy & { id: number | null; scopes: ScopeDraft[] }

/** A stored strategy with its scopes. */
export type StoredStrategy = RuledStrategy & { id: number; scopes: Pick<ScopeRow, 'id' | 'environment_scope'>[] }

const missing = (name: string) => parameterErrors([{ name, missing: true, text: 'is missing' }])

/** Applies changes of scopes: with an id one changes or goes, without an id one is added, the others stay. @throws ApiError 400, 404 */
function changedScopes(stored: readonly ScopeDraft[], given: readonly GivenScope[], at: string): ScopeDraft[] {
  let scopes = [...stored]
  for (const [index, { id, environment_scope, _destroy }] of given.entries()) {
    if (id === undefined) {
      if (_destroy) continue
      if (environment_scope === undefined) throw missing(`${at}[scopes][${index}][environment_scope]`)
      scopes.push({ id: null, environment_scope })
      continue
    }
    const found = scopes.find((scope) => scope.id === id)
    if (!found) throw recordNotFound()
    const changed = { id, environment_scope: environment_scope ?? found.environment_scope }
    scopes = scopes.flatMap((scope) => (scope !== found ? scope : _destroy ? [] : changed))
  }
  return scopes
}

function newStrategy({ name, parameters, scopes = [], user_list_id }: GivenStrategy, at: string): StrategyDraft {
  if (name === undefined) throw missing(`${at}[name]`)
  if (parameters === undefined) throw missing(`${at}[parameters]`)
  const listId = name === userListStrategy ? (user_list_id ?? null) : null
  return { id: null, name, parameters, user_list_id: listId, scopes: changedScopes([], scopes, at) }
}

/** A list belongs to `gitlabUserList`: with another name the strategy loses it. */
function changedStrategy(stored: StrategyDraft, given: GivenStrategy, at: string): StrategyDraft {
  const name = given.name ?? stored.name
  const listId = given.user_list_id === undefined ? stored.user_list_id : given.user_list_id
  return {
    id: stored.id,
    name,
    parameters: given.parameters ?? stored.parameters,
    user_list_id: name === userListStrategy ? listId : null,
    scopes: changedScopes(stored.scopes, given.scopes ?? [], at),
  }
}

/**
 * The strategies of a flag with changes: with an id one changes or goes, without an id one is added, the others stay
 * (contract 24, x.feature_flags_update).
 * @throws ApiError 400; 404 for an id that is not of this flag
 */
export function changedStrategies(stored: readonly StoredStrategy[], given: readonly GivenStrategy[]): StrategyDraft[] {
  let strategies: StrategyDraft[] = [...stored]
  for (const [index, one] of given.entries()) {
    const at = `strategies[${index}]`
    if (one.id === undefined) {
      if (!one._destroy) strategies.push(newStrategy(one, at))
      continue
    }
    const found = strategies.find(({ id }) => id === one.id)
    if (!found) throw recordNotFound()
    const changed = one._destroy ? [] : [changedStrategy(found, one, at)]
    strategies = strategies.flatMap((strategy) => (strategy === found ? changed : strategy))
  }
  return strategies
}

/** 404 for a list of users that the project does not have. */
export const userListNotFound = () => failure(404, 'Not Found')
