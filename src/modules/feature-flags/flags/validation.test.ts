/** What flags and strategies may be: the last legal values and the first illegal ones. */
import { expect, test } from 'vitest'
import { ApiError } from '../../../api/index.ts'
import type { StrategyDraft } from './drafts.ts'
import { strategyProblems } from './strategy-rules.ts'
import { requireValidFlag } from './validation.ts'

const scopesOf = (...names: string[]) => names.map((environment_scope) => ({ environment_scope }))
const strategy = (...scopes: string[]) =>
  ({ name: 'default', parameters: {}, user_list_id: null, scopes: scopesOf(...scopes) }) as unknown as StrategyDraft

/** What is wrong with a flag; none when it is legal. */
function problemsOf(more: Partial<Parameters<typeof requireValidFlag>[0]>): string[] {
  try {
    requireValidFlag({ name: 'ok', description: null, strategies: [], ...more })
    return []
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    expect(error.status).toBe(400)
    return error.body.message as string[]
  }
}

const characters = expect.stringContaining('Name can contain only')

test.each<[string, unknown[]]>([
  ['ok', []],
  ['a1', []],
  ['a-_b', []],
  [`a${'b'.repeat(62)}`, []],
  [`a${'b'.repeat(63)}`, ['Name is too long (maximum is 63 characters)']],
  ['a', ['Name is too short (minimum is 2 characters)']],
  ['-a', [characters]],
  ['a_', [characters]],
  ['aB', [characters]],
])('a flag named %s', (name, problems) => {
  expect(problemsOf({ name })).toEqual(problems)
})

test.each<[string, Partial<Parameters<typeof requireValidFlag>[0]>, string[]]>([
  ['255 characters of description', { description: 'é'.repeat(255) }, []],
  ['one more', { description: '🦊'.repeat(256) }, ['Description is too long (maximum is 255 characters)']],
  ['50 strategies', { strategies: Array(50).fill(strategy('*')) }, []],
  ['51 strategies', { strategies: Array(51).fill(strategy('*')) }, ['Strategies are too many (maximum is 50)']],
  ['100 scopes', { strategies: [strategy(...Array.from({ length: 100 }, (_, index) => `e${index}`))] }, []],
  [
    '101 scopes',
    { strategies: [strategy(...Array.from({ length: 101 }, (_, index) => `e${index}`))] },
    ['Strategies scopes are too many (maximum is 100)'],
  ],
  [
    'a scope twice',
    { strategies: [strategy('a', 'b', 'a')] },
    ['Strategies scopes environment scope has already been taken'],
  ],
  ['a blank scope', { strategies: [strategy('')] }, [expect.stringContaining("scope can't be blank")] as string[]],
])('%s', (_, more, problems) => {
  expect(problemsOf(more).slice(0, 1)).toEqual(problems)
})

const share = (name: string) => [`parameters ${name} must be a string between 0 and 100 inclusive`]
const ids = ['parameters userIds must be a string of unique comma separated values each 256 characters or less']
const group = ['parameters groupId parameter is invalid']
const stickiness = ['parameters stickiness parameter must be default, userId, sessionId, or random']
const incomplete = ['parameters parameters are invalid']
const percentage = (value: unknown, groupId: unknown = 'a') => ({ groupId, percentage: value })
const rollout = (more: object) => ({ groupId: 'a', rollout: '1', stickiness: 'default', ...more })

test.each<[name: string, parameters: Record<string, unknown>, problems: string[]]>([
  ['default', {}, []],
  ['default', { groupId: 'a' }, incomplete],
  ['toString', {}, ['name strategy name is invalid']],
  ['userWithId', { userIds: '' }, []],
  ['userWithId', { userIds: 'a,b' }, []],
  ['userWithId', { userIds: 'a,a' }, ids],
  ['userWithId', { userIds: 7 }, ids],
  ['userWithId', {}, incomplete],
  ['gradualRolloutUserId', percentage('0'), []],
  ['gradualRolloutUserId', percentage('99'), []],
  ['gradualRolloutUserId', percentage('100'), []],
  ['gradualRolloutUserId', percentage('101'), share('percentage')],
  ['gradualRolloutUserId', percentage(1), share('percentage')],
  ['gradualRolloutUserId', percentage('1', 'a'.repeat(32)), []],
  ['gradualRolloutUserId', percentage('1', 'a'.repeat(33)), group],
  ['gradualRolloutUserId', percentage('1', ['a']), group],
  ['gradualRolloutUserId', { groupId: 'a', other: '1' }, incomplete],
  ['gradualRolloutUserId', { groupId: 'a', percentage: '1', other: '1' }, incomplete],
  ...['default', 'userId', 'sessionId', 'random'].map((one): [string, Record<string, unknown>, string[]] => [
    'flexibleRollout',
    rollout({ stickiness: one }),
    [],
  ]),
  ['flexibleRollout', rollout({ stickiness: 'user' }), stickiness],
  ['flexibleRollout', rollout({ rollout: '-1' }), share('rollout')],
])('a strategy %s with %j', (name, parameters, problems) => {
  expect(strategyProblems({ name, parameters, user_list_id: null })).toEqual(problems)
})

test('only the strategy of a list of users needs one', () => {
  const problems = (name: string, user_list_id: number | null) =>
    strategyProblems({ name, parameters: {}, user_list_id })
  expect(problems('gitlabUserList', null)).toEqual(["user list can't be blank"])
  expect(problems('gitlabUserList', 7)).toEqual([])
  expect(problems('default', null)).toEqual([])
})
