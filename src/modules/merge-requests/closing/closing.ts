import { type Actor, dayOf, type PageRequest, pageOfList } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { parseOid } from '../../../infra/git/index.ts'
import { type Events, enqueue, type Job, type Platform, type Reaction } from '../../../platform/index.ts'
import { openRepository } from '../../../platform/repositories/index.ts'
import { closedIn, lockIssuable, readableTargets, recordReferences, referencedBy } from '../../issuables/index.ts'
import { closeIssues, issuesByIds, presentIssues, readableAmong } from '../../issues/index.ts'
import { defaultBranchName, projectById, projectsByIds, settingOf } from '../../projects/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { mergeRequestById } from '../core/store.ts'
import { commitsOfLatest } from '../heads/store.ts'
import { issuableOf, type ProjectMergeRequest } from '../subject.ts'
import type { MergeRequestRow } from '../tables.ts'
import { closingsOf, replaceClosings } from './store.ts'

/** Commits of a version whose messages are read, the newest. */
const mostRead = 500
/** Characters of messages that are read for mentions. */
const longestText = 1_000_000

/** The messages of the newest commits of a merge request. */
async function messagesOf(platform: Platform, row: MergeRequestRow): Promise<string[]> {
  const shas = (await commitsOfLatest(platform.database.read, row.id)).slice(0, mostRead)
  const { repository } = await openRepository(platform, { id: row.project_id })
  const commits = await repository.commits(shas.flatMap((sha) => parseOid(sha) ?? []))
  return shas.flatMap((sha) => {
    const oid = parseOid(sha)
    const commit = oid && commits.get(oid)
    return commit ? [commit.message] : []
  })
}

/**
 * Finds out which issues a merge closes, by the closing words in the title, the description and the messages of the commits;
 * none unless the target is the default branch (contract 19, "Closing records"). Those of a merged or closed one stay.
 */
export async function recordClosings(platform: Platform, mergeRequestId: number): Promise<void> {
  const { database, externalUrl } = platform
  const row = await mergeRequestById(database.read, mergeRequestId)
  const project = row && (await projectById(database.read, row.project_id))
  if (!row || !project || row.state !== 'opened') return
  const messages = await messagesOf(platform, row)
  const isDefault = row.target_branch === (await defaultBranchName(platform, project))
  const texts = [row.title, row.description ?? '', ...messages]
  const references = isDefault ? texts.flatMap((text) => closedIn(text, externalUrl)) : []
  const origin = { userId: row.author_id, at: now(platform.clock) }
  await database.write(async (tx) => {
    // The request that changed it and the job that follows may compute the records at once.
    await lockIssuable(tx, issuableOf(row))
    const home = { projectId: project.id, groupId: null }
    const targets = await readableTargets(platform, tx, references, home, row.author_id)
    await replaceClosings(
      tx,
      row.id,
      targets.map(({ id }) => id),
    )
    await recordReferences(platform, tx, issuableOf(row), messages.join('\n\n').slice(0, longestText), origin)
  })
}

export const closingsJob: Job<{ mergeRequestId: number }> = {
  kind: 'merge_requests.closings',
  run: (platform, { mergeRequestId }) => recordClosings(platform, mergeRequestId),
}

/** Has the closing records computed again after a merge request or its commits have changed. */
export const followClosings: Reaction<{ mergeRequestId: number }> = async (platform, tx, { mergeRequestId }) => {
  await enqueue(platform, tx, closingsJob, { mergeRequestId }, { orderKey: `closings:${mergeRequestId}` })
}

/** Closes the issues of a merge in the name of the merger, as far as they may (contract 19, "Closing records"). */
export const closeMerged: Reaction<Events['merge_request.merged']> = async (
  platform,
  tx,
  { mergeRequestId, userId },
) => {
  const row = await mergeRequestById(tx, mergeRequestId)
  const project = row && (await projectById(tx, row.project_id))
  const user = userId === null ? null : await userById(tx, userId)
  if (!project || !user || !settingOf(project, 'autoclose_referenced_issues')) return
  const ids = await closingsOf(tx, mergeRequestId)
  await closeIssues(platform, tx, ids, actingUser(platform, user), { sourceMergeRequestId: mergeRequestId })
}

/** References to the issues that a merge closes: `#1`, or with the path of another project. */
export async function closedByMerge(platform: Platform, row: MergeRequestRow): Promise<string[]> {
  const db = platform.database.read
  const issues = (await issuesByIds(db, await closingsOf(db, row.id))).filter(({ confidential }) => !confidential)
  const projects = await projectsByIds(
    db,
    issues.map(({ project_id }) => project_id),
  )
  const paths = new Map(projects.map(({ id, full_path }) => [id, full_path]))
  return issues
    .toSorted((left, right) => left.id - right.id)
    .map(({ project_id, iid }) => `${project_id === row.project_id ? '' : paths.get(project_id)}#${iid}`)
}

async function pageOfIssues(platform: Platform, actor: Actor, ids: readonly number[], page: PageRequest) {
  const rows = await issuesByIds(platform.database.read, ids)
  const ordered = rows.toSorted((left, right) => left.id - right.id)
  const readable = await readableAmong(platform, ordered, actor, dayOf(platform.clock.now()))
  const { items, ...rest } = pageOfList(
    readable.map(({ row }) => row),
    page,
  )
  return { ...rest, items: await presentIssues(platform, items, actor, { relativeTo: 'project' }) }
}

/** A page of the issues that the merge closes and the caller can read (contract 19, x.mr_closes). */
export async function listClosings(platform: Platform, { row }: ProjectMergeRequest, actor: Actor, page: PageRequest) {
  return pageOfIssues(platform, actor, await closingsOf(platform.database.read, row.id), page)
}

/** A page of the issues that the merge request mentions and the caller can read (contract 19, x.mr_related_issues). */
export async function listRelated(platform: Platform, { row }: ProjectMergeRequest, actor: Actor, page: PageRequest) {
  const ids = await referencedBy(platform.database.read, issuableOf(row), 'Issue')
  return pageOfIssues(platform, actor, ids, page)
}
