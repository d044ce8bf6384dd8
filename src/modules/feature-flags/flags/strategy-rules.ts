import { isListOfIds, notAListOfIds } from '../user-xids.ts'

/** What a rule is asked about. */
export type RuledStrategy = { name: string; parameters: Readonly<Record<string, unknown>>; user_list_id: number | null }

/** What is wrong with a value, after the word `parameters`; null when nothing is. */
type Rule = (value: unknown) => string | null

const isShare = (value: unknown) => typeof value === 'string' && /^(?:\d{1,2}|100)$/.test(value)
const stickinesses: readonly unknown[] = ['default', 'userId', 'sessionId', 'random']

const groupId: Rule = (value) =>
  typeof value === 'string' && /^[a-z]{1,32}$/.test(value) ? null : 'groupId parameter is invalid'
const share =
  (name: string): Rule =>
  (value) =>
    isShare(value) ? null : `${name} must be a string between 0 and 100 inclusive`
const stickiness: Rule = (value) =>
  stickinesses.includes(value) ? null : 'stickiness parameter must be default, userId, sessionId, or random'
const userIds: Rule = (value) => (typeof value === 'string' && isListOfIds(value) ? null : `userIds ${notAListOfIds}`)

/** The strategies, with the parameters that each has, and no others (contract 24, x.feature_flags_create). */
const parametersOf: Readonly<Record<string, Readonly<Record<string, Rule>>>> = {
  default: {},
  userWithId: { userIds },
  gradualRolloutUserId: { groupId, percentage: share('percentage') },
  flexibleRollout: { groupId, stickiness, rollout: share('rollout') },
  gitlabUserList: {},
}

/** The strategy that names a list of users. */
export const userListStrategy = 'gitlabUserList'

/** What is wrong with a strategy, after the word `Strategies`. */
export function strategyProblems({ name, parameters, user_list_id }: RuledStrategy): string[] {
  const rules = Object.hasOwn(parametersOf, name) ? parametersOf[name] : undefined
  if (!rules) return ['name strategy name is invalid']
  const keys = Object.keys(rules)
  const given = Object.keys(parameters)
  const isComplete = given.length === keys.length && given.every((key) => Object.hasOwn(rules, key))
  const wrong = isComplete ? keys.flatMap((key) => rules[key]?.(parameters[key]) ?? []) : ['parameters are invalid']
  const withoutList = name === userListStrategy && user_list_id === null ? ["user list can't be blank"] : []
  return [...wrong.map((problem) => `parameters ${problem}`), ...withoutList]
}
