import { branchName, parseOid, type RefChange, type RefName, shortRefName, tagName } from '../../../infra/git/index.ts'
import { compileRegex } from '../../../infra/regex/index.ts'
import { wildcardMatcher } from '../../../infra/wildcards/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { openRow, repositoryById } from '../../../platform/repositories/index.ts'
import { afterPush, type PushedRef, type PushRow, pushJob } from '../../events/index.ts'
import { callsNone, fire, fireTo, isFollowed, receiversFor } from '../firing/fire.ts'
import { isPushWatched } from '../firing/store.ts'
import { building, namedProject } from '../payloads/parts.ts'
import { type PushedProject, pushPayload, repositoryUpdatePayload } from '../payloads/push.ts'
import type { WebHookRow } from '../tables.ts'

/** The changed refs in the form of git. */
function changeOf({ ref, old, new: next }: PushedRef): RefChange[] {
  const [before, after] = [parseOid(old), parseOid(next)]
  return before && after ? [{ ref: ref as RefName, old: before, new: after }] : []
}

async function pushedProject(platform: Platform, { repository_id: id }: PushRow): Promise<PushedProject | null> {
  const { database } = platform
  const row = await repositoryById(database.read, id)
  if (row?.kind !== 'project' || row.project_id === null) return null
  const project = await namedProject(database.read, row.project_id)
  if (!project || project.row.pending_delete) return null
  const repository = await openRow(platform, row)
  return { project, repository, snapshot: await repository.refs(row.generation) }
}

type Kind = 'push' | 'tag_push'

/** Fires the changes of one kind; none when they are more than the setting allows (contract 21 R7). */
async function fireChanges(
  platform: Platform,
  pushed: PushedProject,
  push: PushRow,
  kind: Kind,
  changes: readonly RefChange[],
): Promise<void> {
  const { database, settings } = platform
  const { push_event_hooks_limit: limit } = await settings.current()
  if (changes.length === 0 || changes.length > limit) return
  const occasion = { trigger: kind, projectId: pushed.project.row.id } as const
  const all = await receiversFor(platform, database.read, occasion)
  for (const change of changes) {
    const hooks = all.hooks.filter((hook) => kind === 'tag_push' || acceptsBranch(hook, shortRefName(change.ref)))
    const called = { ...all, hooks }
    if (callsNone(called)) continue
    const payload = await pushPayload(await building(platform, database.read), pushed, push, change)
    await database.write((tx) =>
      fireTo(platform, tx, called, {
        trigger: kind,
        projectId: occasion.projectId,
        // Commits are not shown to hooks of the instance.
        payloads: { own: async () => payload, system: async () => ({ ...payload, commits: [] }) },
      }),
    )
  }
}

async function run(platform: Platform, push: PushRow): Promise<void> {
  const pushed = await pushedProject(platform, push)
  if (!pushed) return
  const changes = push.changes.flatMap(changeOf)
  const branches = changes.filter(({ ref }) => branchName(ref) !== null)
  const tags = changes.filter(({ ref }) => tagName(ref) !== null)
  await fireChanges(platform, pushed, push, 'push', branches)
  await fireChanges(platform, pushed, push, 'tag_push', tags)
  const occasion = { trigger: 'repository_update', projectId: pushed.project.row.id } as const
  await platform.database.write(async (tx) => {
    const system = async () => repositoryUpdatePayload(await building(platform, tx), pushed, push, changes)
    await fire(platform, tx, occasion, { system })
  })
}

/** Builds the payloads of a push, for which git is asked. */
export const pushedJob = pushJob('pushes.hooks', run)

const enqueueJob = afterPush(pushedJob)

/** Has hooks called after a push; costs two queries when nothing asks for pushes. */
export const hookPushes: Reaction<Events['refs.pushed']> = async (platform, tx, pushed) => {
  const { repositoryId } = pushed
  const isWatched =
    (await isPushWatched(tx, repositoryId)) || (await isFollowed(platform, tx, ['push', 'tag_push'], { repositoryId }))
  if (isWatched) await enqueueJob(platform, tx, pushed)
}

type Filtered = Pick<WebHookRow, 'push_events_branch_filter' | 'branch_filter_strategy'>

/** Whether pushes to a branch call a hook (contract 21, push_events_branch_filter). */
export function acceptsBranch(hook: Filtered, branch: string): boolean {
  const { push_events_branch_filter: filter, branch_filter_strategy: strategy } = hook
  if (filter === null || strategy === 'all_branches') return true
  if (strategy === 'wildcard') return wildcardMatcher(filter)(branch)
  return compileRegex(filter).matcher(branch).find()
}
