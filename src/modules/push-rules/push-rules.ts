import { ApiError, invalid, notFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now, type Tx } from '../../infra/database/index.ts'
import type { PushRuleValues } from './params.ts'
import { patternProblem } from './pattern.ts'
import { deletePushRule, insertPushRule, nearestPushRule, type Place, pushRuleOf, updatePushRule } from './store.ts'
import type { PushRuleRow } from './tables.ts'

export type PushRuleNeeds = { database: Database; clock: Clock }

/** The push rules of projects, and those that groups give to their new projects (contract 22). */
export type PushRules = ReturnType<typeof createPushRules>

const patternNames = [
  'commit_message_regex',
  'commit_message_negative_regex',
  'branch_name_regex',
  'author_email_regex',
  'file_name_regex',
] as const

/** In MiB: no file is larger. */
const largestSize = 2 ** 31 - 1

/** @throws ApiError 400, form C, with everything that is wrong */
function requireSound(values: PushRuleValues): void {
  const problems: Record<string, string[]> = {}
  for (const name of patternNames) {
    const problem = patternProblem(values[name] ?? '')
    if (problem !== null) problems[name] = [problem]
  }
  const { max_file_size: size = 0 } = values
  if (size < 0) problems.max_file_size = ['must be greater than or equal to 0']
  if (size > largestSize) problems.max_file_size = [`must be less than or equal to ${largestSize}`]
  if (Object.keys(problems).length > 0) throw invalid(problems)
}

function alreadyThere(place: Place): ApiError {
  const error = `${'project_id' in place ? 'Project' : 'Group'} push rule exists`
  return new ApiError('push_rule_exists', 422, { error })
}

const owners = (place: Place) => ({ project_id: null, namespace_id: null, ...place })
const noPatterns = Object.fromEntries(patternNames.map((name) => [name, null])) as Record<
  (typeof patternNames)[number],
  null
>

export function createPushRules({ database, clock }: PushRuleNeeds) {
  return {
    /** The rule of a project or group; null when it has none. */
    of: (place: Place): Promise<PushRuleRow | null> => pushRuleOf(database.read, place),

    /** @throws ApiError 400, form C, or 422 when there is one */
    async create(place: Place, values: PushRuleValues): Promise<PushRuleRow> {
      requireSound(values)
      const moment = now(clock)
      const row = { ...noPatterns, ...values, ...owners(place), created_at: moment, updated_at: moment }
      return database
        .write((tx) => insertPushRule(tx, row))
        .catch((error) => {
          throw isUniqueViolation(error) ? alreadyThere(place) : error
        })
    },

    /** @throws ApiError 404, or 400, form C */
    async update(place: Place, values: PushRuleValues): Promise<PushRuleRow> {
      return database.write(async (tx) => {
        const before = await pushRuleOf(tx, place)
        if (!before) throw notFound('Push Rule')
        requireSound(values)
        const after = await updatePushRule(tx, before.id, { ...values, updated_at: now(clock) })
        if (!after) throw notFound('Push Rule')
        return after
      })
    },

    /**
     * @param requireUnmodified throws when the rule has changed since the time that the caller named
     * @throws ApiError 404, 412
     */
    async remove(place: Place, requireUnmodified: (updatedAt: string) => void): Promise<void> {
      await database.write(async (tx) => {
        const rule = await pushRuleOf(tx, place)
        if (!rule) throw notFound('Push Rule')
        requireUnmodified(rule.updated_at)
        if (!(await deletePushRule(tx, rule.id))) throw notFound('Push Rule')
      })
    },

    /** Gives a new project a copy of the rule of the nearest group above it that has one, if any. */
    async inherit(tx: Tx, project: { id: number; namespace_id: number }): Promise<void> {
      const rule = await nearestPushRule(tx, project.namespace_id)
      if (!rule) return
      const { id: _id, ...asked } = rule
      const moment = now(clock)
      const times = { created_at: moment, updated_at: moment }
      await insertPushRule(tx, { ...asked, ...owners({ project_id: project.id }), ...times })
    },
  }
}
