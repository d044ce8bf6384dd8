import { ApiError, invalid, notFound } from '../../../api/index.ts'
import { isUniqueViolation, now } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { type ProjectOrGroup, projectById } from '../../projects/index.ts'
import { patternProblem } from '../pattern.ts'
import * as store from '../store.ts'
import type { PushRuleValues } from './params.ts'
import { type PresentedPushRule, presentPushRule } from './present.ts'

const patternNames = [
  'commit_message_regex',
  'commit_message_negative_regex',
  'branch_name_regex',
  'author_email_regex',
  'file_name_regex',
] as const

/** In MiB; larger than any file. */
const largestSize = 2 ** 31 - 1

const ownerOf = ({ kind, id }: Pick<ProjectOrGroup, 'kind' | 'id'>): store.PushRuleOwner =>
  kind === 'project' ? { project_id: id } : { namespace_id: id }

/** @throws ApiError 400, form C, with all problems */
function validate(values: PushRuleValues): void {
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

function taken({ kind }: ProjectOrGroup): ApiError {
  const error = `${kind === 'project' ? 'Project' : 'Group'} push rule exists`
  return new ApiError('push_rule_exists', 422, { error })
}

const noPatterns = Object.fromEntries(patternNames.map((name) => [name, null])) as Record<
  (typeof patternNames)[number],
  null
>

/** Gets the rule of a project or group. @returns null for a project without one @throws ApiError 404 for a group without one */
export async function getPushRule({ database }: Platform, subject: ProjectOrGroup): Promise<PresentedPushRule | null> {
  const rule = await store.pushRuleOf(database.read, ownerOf(subject))
  if (!rule && subject.kind === 'group') throw notFound()
  return rule && presentPushRule(rule)
}

/** Creates the rule of a project or group. @throws ApiError 400, form C; 422 when there is one */
export async function createPushRule(
  { database, clock }: Platform,
  subject: ProjectOrGroup,
  values: PushRuleValues,
): Promise<PresentedPushRule> {
  validate(values)
  const moment = now(clock)
  const owner = { project_id: null, namespace_id: null, ...ownerOf(subject) }
  const rule = { ...noPatterns, ...values, ...owner, created_at: moment, updated_at: moment }
  const row = await database
    .write((tx) => store.insertPushRule(tx, rule))
    .catch((error) => {
      throw isUniqueViolation(error) ? taken(subject) : error
    })
  return presentPushRule(row)
}

/** Changes the rule of a project or group. @throws ApiError 404; 400, form C */
export async function updatePushRule(
  { database, clock }: Platform,
  subject: ProjectOrGroup,
  values: PushRuleValues,
): Promise<PresentedPushRule> {
  return database.write(async (tx) => {
    const before = await store.pushRuleOf(tx, ownerOf(subject))
    if (!before) throw notFound('Push Rule')
    validate(values)
    const after = await store.updatePushRule(tx, before.id, { ...values, updated_at: now(clock) })
    if (!after) throw notFound('Push Rule')
    return presentPushRule(after)
  })
}

/**
 * Deletes the rule of a project or group.
 * @param unmodified throws when the rule is newer than the caller allows
 * @throws ApiError 404, 412
 */
export async function deletePushRule(
  { database }: Platform,
  subject: ProjectOrGroup,
  unmodified: (updatedAt: string) => void,
): Promise<void> {
  await database.write(async (tx) => {
    const rule = await store.pushRuleOf(tx, ownerOf(subject))
    if (!rule) throw notFound('Push Rule')
    unmodified(rule.updated_at)
    if (!(await store.deletePushRule(tx, rule.id))) throw notFound('Push Rule')
  })
}

/** Copies the rule of the nearest group that has one to a new project (contract 22). */
export const inheritPushRule: Reaction<Events['project.created']> = async ({ clock }, tx, { projectId }) => {
  const project = await projectById(tx, projectId)
  const rule = project && (await store.nearestPushRule(tx, project.namespace_id))
  if (!rule) return
  const { id: _id, ...values } = rule
  const moment = now(clock)
  const owner = { project_id: projectId, namespace_id: null }
  await store.insertPushRule(tx, { ...values, ...owner, created_at: moment, updated_at: moment })
}
