import type { UserActor } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { isZeroOid, type Oid } from '../../../infra/git/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { openRepository, repositoryById } from '../../../platform/repositories/index.ts'
import { afterPush, type PushRow, pushJob } from '../../events/index.ts'
import { closedIn, readableTargets, recordReferences } from '../../issuables/index.ts'
import { projectById, settingOf } from '../../projects/index.ts'
import { actingUser, userById } from '../../users/index.ts'
import { closeIssues } from '../core/close.ts'

/** Commits of one push whose messages are read, the newest. */
const mostCommits = 500

type ReadCommit = { oid: Oid; message: string }

/** The commits that a push added to the default branch, oldest first. A new branch that becomes the default closes nothing. */
async function addedCommits(platform: Platform, projectId: number, push: PushRow): Promise<ReadCommit[]> {
  const { repository, snapshot } = await openRepository(platform, { id: projectId })
  const change = push.changes.find(({ ref }) => ref === snapshot.head)
  if (!change || isZeroOid(change.new as Oid) || isZeroOid(change.old as Oid)) return []
  const [tip, base] = [change.new as Oid, change.old as Oid]
  const oids = await repository.log({ tips: [tip], excluded: [base], limit: mostCommits })
  const commits = await repository.commits(oids)
  return oids
    .flatMap((oid) => {
      const commit = commits.get(oid)
      return commit ? [{ oid, message: commit.message }] : []
    })
    .reverse()
}

/** Closes the issues that a commit names with closing words, as far as the pusher may (contract 16, "Rules"). */
async function closeByCommit(
  platform: Platform,
  tx: Tx,
  { oid, message }: ReadCommit,
  { projectId, actor }: { projectId: number; actor: UserActor },
): Promise<void> {
  const home = { projectId, groupId: null }
  const references = closedIn(message, platform.externalUrl)
  const targets = await readableTargets(platform, tx, references, home, actor.userId)
  const ids = targets.map(({ id }) => id)
  await closeIssues(platform, tx, ids, actor, { sourceCommit: oid })
}

/** Notes on issues which commits mention them, and closes those that they close. Idempotent: it runs at least once. */
async function followPush(platform: Platform, push: PushRow): Promise<void> {
  const { read: db } = platform.database
  const repository = await repositoryById(db, push.repository_id)
  const user = push.user_id === null ? null : await userById(db, push.user_id)
  if (repository?.kind !== 'project' || repository.project_id === null || !user) return
  const project = await projectById(db, repository.project_id)
  if (!project || project.pending_delete) return
  const actor = actingUser(platform, user)
  const closes = settingOf(project, 'autoclose_referenced_issues')
  for (const commit of await addedCommits(platform, project.id, push)) {
    await platform.database.write(async (tx) => {
      const origin = { userId: user.id, at: now(platform.clock) }
      const source = { type: 'Commit' as const, projectId: project.id, sha: commit.oid }
      await recordReferences(platform, tx, source, commit.message, origin)
      if (closes) await closeByCommit(platform, tx, commit, { projectId: project.id, actor })
    })
  }
}

export const followPushJob = pushJob('pushes.issues', followPush)

/** Reads the messages of the commits of a push to the default branch. A branch that is new or deleted adds none to it. */
export const followPushes = afterPush(followPushJob, (change) => !isZeroOid(change.old) && !isZeroOid(change.new))
