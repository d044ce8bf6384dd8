import { failure } from '../../../api/index.ts'
import { environmentScopeProblems } from '../../variables/index.ts'
import type { StrategyDraft } from './drafts.ts'
import { strategyProblems } from './strategy-rules.ts'

const shortestName = 2
const longestName = 63
const longestDescription = 255
const mostStrategies = 50
const mostScopes = 100

const characters =
  "Name can contain only lowercase letters, digits, '_' and '-'. Must start with a letter, and cannot end with '-' or '_'"

function nameProblems(name: string): string[] {
  const length = [...name].length
  return [
    ...(/^[a-z](?:[-_a-z0-9]*[a-z0-9])?$/.test(name) ? [] : [characters]),
    ...(length < shortestName ? [`Name is too short (minimum is ${shortestName} characters)`] : []),
    ...(length > longestName ? [`Name is too long (maximum is ${longestName} characters)`] : []),
  ]
}

function scopesProblems(scopes: StrategyDraft['scopes']): string[] {
  const texts = scopes.map(({ environment_scope: text }) => text)
  const wrong = [...new Set(texts)].flatMap(environmentScopeProblems)
  const taken = new Set(texts).size < texts.length ? ['has already been taken'] : []
  const tooMany = scopes.length > mostScopes ? [`scopes are too many (maximum is ${mostScopes})`] : []
  return [...[...wrong, ...taken].map((problem) => `scopes environment scope ${problem}`), ...tooMany]
}

type Validated = { name: string; description: string | null; strategies: readonly StrategyDraft[] }

/** @throws ApiError 400 with all that is wrong with a flag, each sentence once */
export function requireValidFlag({ name, description, strategies }: Validated): void {
  const isTooLong = [...(description ?? '')].length > longestDescription
  const ofStrategies = strategies.flatMap((one) => [...strategyProblems(one), ...scopesProblems(one.scopes)])
  const problems = [
    ...nameProblems(name),
    ...(isTooLong ? [`Description is too long (maximum is ${longestDescription} characters)`] : []),
    ...(strategies.length > mostStrategies ? [`Strategies are too many (maximum is ${mostStrategies})`] : []),
    ...ofStrategies.map((problem) => `Strategies ${problem}`),
  ]
  if (problems.length > 0) throw failure(400, [...new Set(problems)])
}
