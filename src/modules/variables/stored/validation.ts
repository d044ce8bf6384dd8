import { lengthProblems } from '../../../api/index.ts'
import { valueProblems } from '../delivery/bounds.ts'

/** The values of a variable that rules look at. */
export type VariableDraft = {
  key: string
  value: string
  masked: boolean
  raw: boolean
  description: string | null
  environmentScope: string
}

type Problems = Record<string, string[]>

const longest = 255
const longestInstanceValue = 10_000
const keyCharacters = "can contain only letters, digits and '_'."
const scopeCharacters = "can contain only letters, digits, '-', '_', '/', '$', '{', '}', '.', '*' and spaces"
const maskable = /^[A-Za-z0-9_+=/@:.~-]{8,}$/
const maskableRaw = /^\S{8,}$/

/** What is wrong with the key of a variable. */
export function keyProblems(key: string): string[] {
  return [
    ...(key === '' ? ["can't be blank"] : []),
    ...lengthProblems(key, longest),
    ...(/^[A-Za-z0-9_]+$/.test(key) ? [] : [keyCharacters]),
  ]
}

/** What is wrong with the name of an environment, or a pattern of names. */
export function environmentScopeProblems(scope: string): string[] {
  return [
    ...(scope === '' ? ["can't be blank"] : []),
    ...lengthProblems(scope, longest),
    ...(/^[A-Za-z0-9 _/${}.*-]+$/.test(scope) ? [] : [scopeCharacters]),
  ]
}

/** Whether the logs of jobs can mask a value (contract 03, "Masking rule"). */
function isMaskable(value: string, isRaw: boolean): boolean {
  return (isRaw ? maskableRaw : maskable).test(value)
}

/**
 * What is wrong with a variable, by field (contract 03, "Shared parameter rules").
 * @param isOfInstance whether the value may be short only
 */
export function problemsOf(draft: VariableDraft, isOfInstance: boolean): Problems {
  const { key, value, masked, raw, description, environmentScope } = draft
  const isTooLong = isOfInstance && lengthProblems(value, longestInstanceValue).length > 0
  const all: Problems = {
    key: keyProblems(key),
    value: [
      ...(isTooLong ? [`The value of the provided variable exceeds the ${longestInstanceValue} character limit`] : []),
      ...(isOfInstance ? [] : valueProblems(value)),
      ...(masked && !isMaskable(value, raw) ? ['is invalid'] : []),
    ],
    environment_scope: environmentScopeProblems(environmentScope),
    description: lengthProblems(description ?? '', longest),
  }
  return Object.fromEntries(Object.entries(all).filter(([, sentences]) => sentences.length > 0))
}
