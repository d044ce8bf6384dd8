import type { Actor } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { type Events, enqueue, type Job, type Platform, type Reaction, react } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { requireRepository } from '../images/repositories.ts'
import { requireUnprotected, requireUnprotectedTags } from '../images/tags.ts'
import type { RegistryRepositoryRow } from '../tables.ts'
import { dropUploadsOf } from '../uploads/sessions.ts'
import {
  anyIsToBeDeleted,
  type Claim,
  claimDeletion,
  claimingProcesses,
  deleteRecord,
  deleteSomeLinks,
  deleteSomeManifests,
  deleteSomeTags,
  dueDeletions,
  endClaim,
  releaseClaimsOf,
  releaseSilent,
  renewClaim,
  requestDeletionIn,
  requestDeletionOf,
} from './store.ts'
import { maximumFailures, retryDelayMs, silenceMs } from './transitions.ts'

/** Rows of one transaction. */
const batchSize = 500
const periodSeconds = 60

/** Another worker has claimed the repository. */
class ClaimLost extends Error {}

type Batch = (tx: Tx, repositoryId: number, limit: number, now: string) => Promise<boolean>

/** What a repository consists of, in the order in which it can be deleted. */
const contents: readonly Batch[] = [deleteSomeTags, deleteSomeManifests, deleteSomeLinks]

/** Runs a batch, and renews its claim, so that no other worker takes it over. */
async function withClaim<T>(
  { database, clock }: Platform,
  claim: Claim,
  work: (tx: Tx, moment: string) => Promise<T>,
): Promise<T> {
  const moment = now(clock)
  const result = await database.write(async (tx) => {
    if (!(await renewClaim(tx, claim, moment))) throw new ClaimLost()
    return work(tx, moment)
  })
  claim.claimedAt = moment
  return result
}

async function deleteContents(platform: Platform, claim: Claim, signal: AbortSignal): Promise<void> {
  for (const batch of contents) {
    for (let mayHaveMore = true; mayHaveMore; ) {
      signal.throwIfAborted()
      mayHaveMore = await withClaim(platform, claim, (tx, moment) => batch(tx, claim.id, batchSize, moment))
    }
  }
}

/** Records an error of a worker (contract 02 R8). @param failures how many there were before this one */
async function recordFailure(platform: Platform, claim: Claim, failures: number): Promise<void> {
  const { database, clock } = platform
  const retryAt = new Date(clock.now().getTime() + retryDelayMs(failures))
  const isLast = failures + 1 >= maximumFailures
  await database.write(async (tx) => {
    const changes = { failures: failures + 1, retry_at: isLast ? null : retryAt.toISOString() }
    await endClaim(tx, claim, isLast ? 'give_up' : 'retry', changes)
    if (!isLast) await enqueue(platform, tx, deleteRepositoriesJob, null, { runAt: retryAt })
  })
}

/** Deletes a claimed repository with everything in it. An error is recorded, and the deletion is tried again later. */
async function deleteClaimed(
  platform: Platform,
  claim: Claim,
  { project_id: projectId, name, failures }: RegistryRepositoryRow,
  signal: AbortSignal,
): Promise<void> {
  const { database, log } = platform
  try {
    if (projectId !== null) await dropUploadsOf(platform, { projectId, name })
    await deleteContents(platform, claim, signal)
    await withClaim(platform, claim, async (tx) => {
      await react(platform, tx, 'container_repository.removed', { repositoryId: claim.id })
      await deleteRecord(tx, claim.id)
    })
  } catch (error) {
    if (error instanceof ClaimLost) return
    if (signal.aborted) {
      await database.write((tx) => endClaim(tx, claim, 'release', { retry_at: null }))
      throw error
    }
    log.error({ err: error, repositoryId: claim.id, failures: failures + 1 }, 'a container repository was not deleted')
    await recordFailure(platform, claim, failures)
  }
}

/** Makes claimable what a process was deleting when it ended, and what a worker has left without a sign of life. */
async function releaseAbandoned({ database, clock, presence }: Platform): Promise<void> {
  for (const process of await claimingProcesses(database.read, presence.name())) {
    if (await presence.hasEnded(process)) await database.write((tx) => releaseClaimsOf(tx, process))
  }
  const before = new Date(clock.now().getTime() - silenceMs).toISOString()
  await database.write((tx) => releaseSilent(tx, before))
}

/** Deletes the repositories whose deletion is due, one after another; other processes take others. */
async function deleteDue(platform: Platform, signal: AbortSignal): Promise<void> {
  const { database, clock, presence } = platform
  await releaseAbandoned(platform)
  for (;;) {
    signal.throwIfAborted()
    const ids = await dueDeletions(database.read, now(clock), batchSize)
    if (ids.length === 0) return
    for (const id of ids) {
      const claim = { id, claimedAt: now(clock), process: presence.name() }
      const row = await database.write((tx) => claimDeletion(tx, claim))
      if (row) await deleteClaimed(platform, claim, row, signal)
    }
  }
}

/** Deletes repositories in the background (contract 02 R8). It runs when one is requested, at retries, and by the clock. */
export const deleteRepositoriesJob: Job<null> = {
  kind: 'container_registry.delete_repositories',
  queue: 'removal',
  every: { seconds: periodSeconds },
  when: anyIsToBeDeleted,
  times: [
    { table: 'registry_repositories', column: 'retry_at', longestMs: retryDelayMs(maximumFailures) },
    { table: 'registry_repositories', column: 'claimed_at', longestMs: 0 },
    { table: 'registry_repositories', column: 'bulk_deletion_at', longestMs: 0 },
  ],
  run: (platform, _, { signal }) => deleteDue(platform, signal),
}

/**
 * Requests the deletion of a repository; a request for one that is being deleted already has no effect (contract 1.4).
 * @throws ApiError 403, 404
 */
export async function scheduleDeletion(platform: Platform, project: Project, actor: Actor, repositoryId: number) {
  const { id, name } = await requireRepository(platform.database.read, project, repositoryId)
  await requireUnprotected(platform, project, actor, name)
  await requireUnprotectedTags(platform, project, actor, { repositoryId, name: null })
  await platform.database.write(async (tx) => {
    if (await requestDeletionOf(tx, id)) await enqueue(platform, tx, deleteRepositoriesJob, null)
  })
  return { message: '202 Accepted' }
}

/** Requests the deletion of the repositories of a project that is being removed. Their records outlive its row. */
export const deleteImagesOfProject: Reaction<Events['project.removed']> = async (platform, tx, { projectId }) => {
  if (await requestDeletionIn(tx, projectId)) await enqueue(platform, tx, deleteRepositoriesJob, null)
}
