import { type Actor, ApiError, type RequestInfo } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { applyCommands, separateCommands } from '../../issuables/index.ts'
import type { Project } from '../../projects/index.ts'
import { readableIssue } from '../core/access.ts'
import { createIssue } from '../core/create.ts'
import type { NewIssue } from '../core/params.ts'
import { issueByIid } from '../core/store.ts'
import { presentIssue } from '../present/present.ts'
import { issueCommands } from './commands.ts'

/** Quick actions of a description that fail are ignored: the issue exists already. */
const ignoreRefusal = (error: unknown) => {
  if (!(error instanceof ApiError)) throw error
}

/**
 * Creates an issue, and runs the quick actions in its description, which are not part of it (contract 16, x.issue_create).
 * @throws ApiError 400, 409, 422, 429
 */
export async function openIssue(
  platform: Platform,
  project: Project,
  actor: Actor,
  params: NewIssue,
  request: RequestInfo,
) {
  const { body, commands } = separateCommands(issueCommands, params.description ?? '')
  const description = commands.length > 0 ? body : params.description
  const made = await createIssue(platform, project, actor, { ...params, description }, request)
  if (commands.length === 0) return made
  const { read: db } = platform.database
  const subject = await readableIssue(db, project, made.iid, actor)
  if (subject)
    await applyCommands(platform, issueCommands, { subject, actor, params: {} }, commands).catch(ignoreRefusal)
  const row = await issueByIid(db, project.id, made.iid)
  return row ? presentIssue(platform, row, actor) : made
}
