import { ApiError, dayOf, failure, type UserActor } from '../../../api/index.ts'
import { branchName, isZeroOid, type Oid } from '../../../infra/git/index.ts'
import type { AppliedChange, Platform } from '../../../platform/index.ts'
import { assigneesOf } from '../../issuables/index.ts'
import { defaultBranchName, may, type Project, type ProjectRow, settingOf, withRole } from '../../projects/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { openMergeRequest } from '../conversation/opening.ts'
import { asDraft } from '../core/drafts.ts'
import { mergeRequestByIid, openRequestsFrom } from '../core/store.ts'
import { changeMergeRequest } from '../core/update.ts'
import { tipsOf } from '../heads/heads.ts'
import { mergeAfterPush } from '../merging/auto-merge.ts'
import type { MergeRequestRow } from '../tables.ts'
import { textsOf } from './default-texts.ts'
import type { RequestOptions } from './options.ts'
import { commonParams } from './params.ts'

/** Branches of one push whose merge requests can be changed. */
const mostBranches = 10

/** A pushed branch and its new head. */
export type PushedBranch = { name: string; head: Oid }

/** What the options of a push are carried out with. */
type Push = { project: Project; actor: UserActor; options: RequestOptions; applied: AppliedChange }

/** The branches that a push has created or moved. */
export function pushedBranches({ changes }: Pick<AppliedChange, 'changes'>): PushedBranch[] {
  return changes.flatMap(({ ref, new: head }) => {
    const name = branchName(ref)
    return name === null || isZeroOid(head) ? [] : [{ name, head }]
  })
}

/** The user in whose name the options are carried out; none for a deploy key. */
async function pusherOf(platform: Platform, { writer }: AppliedChange): Promise<UserActor | null> {
  const { database } = platform
  const { userId, deployKeyId, administrator } = writer
  const user = userId === null || deployKeyId !== undefined ? null : await userById(database.read, userId)
  if (user?.state !== 'active') return null
  const actor = actingUser(platform, user)
  return { ...actor, administrator: administrator ?? actor.administrator }
}

/** Why the options of a push are not carried out at all. */
async function refusalOf({ project, actor, options, applied }: Push, count: number): Promise<string | null> {
  const { target, targetProject } = options
  if (settingOf(project, 'merge_requests_access_level') === 'disabled') {
    return `Merge requests are not enabled for project ${project.full_path}`
  }
  if (!may(actor, project, 'create_merge_requests')) return 'User access was denied'
  if (count > mostBranches) return `Too many branches pushed (${count} were pushed, limit is ${mostBranches})`
  if (targetProject !== undefined && targetProject !== project.full_path && targetProject !== String(project.id)) {
    return 'Source project is not a fork of the target project'
  }
  const isThere = target === undefined || (await tipsOf(applied.repository, [target])).get(target)
  return isThere ? null : `Target branch ${project.full_path}:${target} does not exist`
}

/** An answer to the caller as a sentence: `title can't be blank`. */
function textOf({ body: { message } }: ApiError): string {
  if (typeof message === 'string') return message
  if (Array.isArray(message)) return message.join('; ')
  const byName = Object.entries(message ?? {}).map(([name, texts]) => `${name.replaceAll('_', ' ')} ${String(texts)}`)
  return byName.join('; ')
}

async function create(platform: Platform, push: Push, { name, head }: PushedBranch): Promise<number> {
  const { project, actor, options, applied } = push
  if (!options.create) {
    throw failure(422, `A merge_request.create push option is required to create a merge request for branch ${name}`)
  }
  const target_branch = options.target ?? (await defaultBranchName(platform, project))
  const target = (await tipsOf(applied.repository, [target_branch])).get(target_branch) ?? null
  const texts = await textsOf(applied.repository, { name, head, target })
  const made = await openMergeRequest(platform, project, actor, {
    ...{ source_branch: name, target_branch, labels: options.labels },
    ...(texts.description !== '' && { description: texts.description }),
    ...(await commonParams(platform, project, options, [])),
    title: options.draft ? asDraft(options.title ?? texts.title) : (options.title ?? texts.title),
  })
  return made.iid
}

async function change(platform: Platform, push: Push, row: MergeRequestRow): Promise<number> {
  const { project, actor, options } = push
  const { title, target, labels, removedLabels } = options
  const assigneeIds = (await assigneesOf(platform.database.read, 'MergeRequest', [row.id])).get(row.id) ?? []
  const next = options.draft ? asDraft(title ?? row.title) : (title ?? row.title)
  await changeMergeRequest(platform, { project, row }, actor, {
    ...(await commonParams(platform, project, options, assigneeIds)),
    ...(next !== row.title && { title: next }),
    ...(target !== undefined && target !== row.target_branch && { target_branch: target }),
    ...(labels.length > 0 && { add_labels: labels }),
    ...(removedLabels.length > 0 && { remove_labels: removedLabels }),
  })
  return row.iid
}

async function carryOut(platform: Platform, push: Push, branch: PushedBranch, open: readonly MergeRequestRow[]) {
  const { project, actor, options, applied } = push
  const own = open.filter(({ source_branch }) => source_branch === branch.name)
  const existing = own.find(({ target_branch }) => target_branch === options.target) ?? own[0]
  const iid = existing ? await change(platform, push, existing) : await create(platform, push, branch)
  if (!options.autoMerge) return
  const row = await mergeRequestByIid(platform.database.read, project.id, iid)
  if (!row) return
  await mergeAfterPush(platform, { project, row }, actor, applied.row.id).catch((error: unknown) => {
    throw error instanceof ApiError ? failure(422, `!${iid} is not merged automatically: ${textOf(error)}`) : error
  })
}

/**
 * Creates or changes the merge requests of pushed branches as the push options ask for (contract 22 R6).
 * @returns what could not be done
 */
export async function carryOutOptions(
  platform: Platform,
  projectRow: ProjectRow,
  applied: AppliedChange,
  options: RequestOptions,
): Promise<string[]> {
  const { database, clock } = platform
  const branches = pushedBranches(applied)
  if (branches.length === 0) return []
  const actor = await pusherOf(platform, applied)
  if (!actor) return ['User is required']
  const project = await withRole(database.read, projectRow, actor, dayOf(clock.now()))
  const push = { project, actor, options, applied }
  const refused = await refusalOf(push, branches.length)
  if (refused !== null) return [refused]
  const open = await openRequestsFrom(
    database.read,
    project.id,
    branches.map(({ name }) => name),
  )
  const problems: string[] = []
  for (const branch of branches) {
    await carryOut(platform, push, branch, open).catch((error: unknown) => {
      if (!(error instanceof ApiError)) platform.log.error({ err: error }, 'push options about merge requests failed')
      problems.push(error instanceof ApiError ? textOf(error) : 'The merge request could not be saved.')
    })
  }
  return problems
}
