import {
  blank,
  forms,
  lengthProblems,
  notIncluded,
  onlyProblems,
  type Param,
  type ParamValues,
  type Problems,
  Type,
  t,
} from '../../../api/index.ts'
import { compileCleanupPattern, longestCleanupPattern } from './cleanup-pattern.ts'

/** How the images of a project are cleaned up (contract 02, the policy of a project). */
export type ContainerPolicy = {
  cadence: string
  enabled: boolean
  keep_n: number | null
  older_than: string | null
  name_regex: string
  name_regex_keep: string | null
  /** Null until the policy is changed: it counts from the creation of the project then. */
  next_run_at: string | null
}

export const containerPolicySchema = Type.Object({
  cadence: Type.String(),
  enabled: Type.Boolean(),
  keep_n: forms.nullableInteger,
  older_than: forms.nullableString,
  name_regex: Type.String(),
  name_regex_delete: Type.String(),
  name_regex_keep: forms.nullableString,
  next_run_at: forms.timestamp,
})

export const defaultContainerPolicy: ContainerPolicy = {
  cadence: '1d',
  enabled: false,
  keep_n: 10,
  older_than: '90d',
  name_regex: '.*',
  name_regex_keep: null,
  next_run_at: null,
}

const dayMs = 86_400_000

/** Time between two runs in milliseconds, for each cadence. */
const cadences: ReadonlyMap<string, number> = new Map([
  ['1d', dayMs],
  ['7d', 7 * dayMs],
  ['14d', 14 * dayMs],
  ['1month', 30 * dayMs],
  ['3month', 90 * dayMs],
])

/** The next run of a policy after `from`. */
export function nextRunAt(policy: Pick<ContainerPolicy, 'cadence'>, from: string): string {
  return new Date(Date.parse(from) + (cadences.get(policy.cadence) ?? dayMs)).toISOString()
}

/** The next run of a policy after one that was due at `dueAt`: whole periods later, and past `now` (contract 02 R7). */
export function runAfter({ cadence }: Pick<ContainerPolicy, 'cadence'>, dueAt: string, now: string): string {
  const periodMs = cadences.get(cadence) ?? dayMs
  const dueMs = Date.parse(dueAt)
  const periods = Math.max(1, Math.floor((Date.parse(now) - dueMs) / periodMs) + 1)
  return new Date(dueMs + periods * periodMs).toISOString()
}

/** The policy with its next run. */
export function presentContainerPolicy(policy: Readonly<ContainerPolicy>, createdAt: string) {
  return { ...policy, next_run_at: policy.next_run_at ?? nextRunAt(policy, createdAt) }
}

/** The policy as the project shows it, with both names of the expression: clients compare them with what they sent. */
export function presentPolicyOfProject(policy: Readonly<ContainerPolicy>, createdAt: string) {
  return { ...presentContainerPolicy(policy, createdAt), name_regex_delete: policy.name_regex }
}

const keepCounts: readonly (number | null)[] = [1, 5, 10, 25, 50, 100, null]
const ages: readonly (string | null)[] = ['7d', '14d', '30d', '60d', '90d', null]

/** The same parameter, whose schema says more. What it takes stays the same. */
const described = <Value, Required extends boolean>(
  param: Param<Value, Required>,
  schema: object,
): Param<Value, Required> => ({ ...param, schema: { ...param.schema, ...schema } })

/** The members of the policy in a request; null and the empty string clear. */
export const policyParam = t.object({
  cadence: described(t.string({ description: 'How often it runs' }), { enum: [...cadences.keys()] }),
  enabled: t.boolean(),
  keep_n: described(t.nullable(t.integer({ description: 'How many of the newest tags are kept' })), {
    enum: keepCounts,
  }),
  older_than: described(t.nullable(t.string({ description: 'Only older tags are deleted' })), { enum: ages }),
  name_regex: described(t.string({ description: 'Older name of name_regex_delete, which wins over it' }), {
    deprecated: true,
  }),
  name_regex_delete: t.string({ description: 'Tags whose whole name matches this expression of RE2 are deleted' }),
  name_regex_keep: t.nullable(t.string({ description: 'Tags whose whole name matches this are kept' })),
})

type GivenPolicy = ParamValues<{ policy: typeof policyParam }>['policy'] & object

function patternProblems(pattern: string): string[] {
  const found = lengthProblems(pattern, longestCleanupPattern)
  if (found.length > 0) return found
  try {
    compileCleanupPattern(pattern)
    return []
  } catch (error) {
    return [`not valid RE2 syntax: ${error instanceof Error ? error.message : ''}`]
  }
}

function policyProblems({
  cadence,
  enabled,
  keep_n,
  older_than,
  name_regex,
  name_regex_keep,
}: ContainerPolicy): Problems {
  const regexProblems = name_regex.trim() === '' ? [blank] : patternProblems(name_regex)
  return onlyProblems({
    cadence: cadences.has(cadence) ? [] : [notIncluded],
    keep_n: keepCounts.includes(keep_n) ? [] : [notIncluded],
    older_than: ages.includes(older_than) ? [] : [notIncluded],
    name_regex: enabled ? regexProblems : [],
    name_regex_keep: enabled && name_regex_keep !== null ? patternProblems(name_regex_keep) : [],
  })
}

/**
 * The policy after a request; only given members change (contract 02, 1.0).
 * @param problems gets what is wrong with it, under `container_expiration_policy.…`
 */
export function changePolicy(
  current: Readonly<ContainerPolicy>,
  given: GivenPolicy,
  problems: Problems,
  now: string,
): ContainerPolicy {
  const { name_regex_delete: regexDelete, ...others } = given
  const changed: ContainerPolicy = {
    ...current,
    ...others,
    ...(regexDelete === undefined ? {} : { name_regex: regexDelete }),
  }
  changed.older_than ||= null
  changed.name_regex_keep ||= null
  const isRescheduled = changed.cadence !== current.cadence || changed.enabled !== current.enabled
  for (const [member, sentences] of Object.entries(policyProblems(changed))) {
    problems[`container_expiration_policy.${member}`] = sentences
  }
  return isRescheduled ? { ...changed, next_run_at: nextRunAt(changed, now) } : changed
}
