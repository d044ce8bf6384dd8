import { ApiError, invalid, notFound, type Unmodified } from '../../../api/index.ts'
import { claim, isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import type { Act, Events, Platform, Reaction } from '../../../platform/index.ts'
import { type ProjectOrGroup, projectById } from '../../projects/index.ts'
import { patternProblem } from '../pattern.ts'
import * as store from '../store.ts'
import { type PushRuleValues, patternNames } from './params.ts'

/** In MiB; larger than any file. */
const largestSize = 2 ** 31 - 1

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

/** Gets the rule of a project or group. @returns null for a project without one @throws ApiError 404 for a group without one */
export async function getPushRule({ database }: Platform, subject: ProjectOrGroup) {
  const rule = await store.pushRuleOf(database.read, subject.kind, subject.id)
  if (!rule && subject.kind === 'group') throw notFound()
  return rule
}

/** Creates the rule of a project or group. @throws ApiError 400, form C; 422 when there is one */
export async function createPushRule(
  { database, clock }: Platform,
  subject: ProjectOrGroup,
  values: PushRuleValues,
  act: Act,
) {
  validate(values)
  const moment = now(clock)
  const isProject = subject.kind === 'project'
  const owner = { project_id: isProject ? subject.id : null, namespace_id: isProject ? null : subject.id }
  const rule = { ...values, ...owner, created_at: moment, updated_at: moment }
  return database
    .write(async (tx) => {
      const added = await store.insertPushRule(tx, rule)
      await act(tx)
      return added
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? taken(subject) : error
    })
}

/** @throws ApiError 404 */
async function requireRule(tx: Tx, { kind, id }: ProjectOrGroup) {
  const rule = await store.pushRuleOf(tx, kind, id)
  if (!rule) throw notFound('Push Rule')
  return rule
}

/** Changes the rule of a project or group. @throws ApiError 404; 400, form C */
export async function updatePushRule(
  { database, clock }: Platform,
  subject: ProjectOrGroup,
  values: PushRuleValues,
  act: Act,
) {
  return database.write(async (tx) => {
    const before = await requireRule(tx, subject)
    validate(values)
    const after = await store.updatePushRule(tx, before.id, { ...values, updated_at: now(clock) })
    if (!after) throw notFound('Push Rule')
    await act(tx)
    return after
  })
}

/** Deletes the rule of a project or group. @throws ApiError 404; 412 by `unmodified` */
export async function deletePushRule(
  { database }: Platform,
  subject: ProjectOrGroup,
  { unmodified, act }: { unmodified: Unmodified; act: Act },
): Promise<void> {
  await database.write(async (tx) => {
    const rule = await claim(tx, 'push_rules', () => requireRule(tx, subject))
    unmodified(rule.updated_at)
    await store.deletePushRule(tx, rule.id)
    await act(tx)
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
