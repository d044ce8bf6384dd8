import { type Actor, ApiError, dayOf, isAdministrator, requireSignedIn } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import { enqueue, type Job, type Platform } from '../../../platform/index.ts'
import { role, roleInProject } from '../../access/index.ts'
import { type Project, projectById } from '../../projects/index.ts'
import { userById } from '../../users/index.ts'
import { requireRepository } from '../images/repositories.ts'
import { repositoryById } from '../images/store.ts'
import { tagsProtectedFromDeletion } from '../tag-protection/rules.ts'
import { cleanRepository } from './cleanup.ts'
import type { BulkDeletion, BulkRules } from './params.ts'
import type { CleanupRules } from './selection.ts'
import { acceptBulkDeletion } from './store.ts'

const hourSeconds = 3600
const alreadyMade =
  'This request has already been made. You can run this at most once an hour for a given container repository'

/** Who asked for a bulk deletion. */
type Requester = { userId: number; isAdministrator: boolean }
type BulkDeletionPayload = { repositoryId: number; requester: Requester; rules: CleanupRules }

/** The call after which the next one is accepted. @returns whole seconds */
function secondsUntilNext(acceptedAt: string | null, moment: Date): number {
  const next = Date.parse(acceptedAt ?? moment.toISOString()) + hourSeconds * 1000
  return Math.max(1, Math.ceil((next - moment.getTime()) / 1000))
}

/** @throws ApiError 429 when another call was accepted in the hour before */
async function refuseAgain({ database, clock }: Platform, repositoryId: number): Promise<never> {
  const row = await repositoryById(database.read, repositoryId)
  const retryAfter = secondsUntilNext(row?.bulk_deletion_at ?? null, clock.now())
  const headers = { 'Retry-After': String(retryAfter) }
  throw new ApiError('too_many_requests', 429, { message: alreadyMade }, headers)
}

/** The rules of a call. */
export function rulesOf(given: BulkRules): CleanupRules {
  return {
    deletePattern: given.name_regex_delete ?? given.name_regex ?? '',
    keepPattern: given.name_regex_keep ?? null,
    keepCount: Math.max(0, given.keep_n ?? 0),
    olderThanSeconds: given.older_than ?? null,
  }
}

/**
 * Accepts the deletion of many tags, which a job carries out; once an hour for each repository (contract 1.8).
 * @throws ApiError 404, 429
 */
export async function deleteTags(platform: Platform, project: Project, actor: Actor, given: BulkDeletion) {
  const { database, clock } = platform
  const { id: repositoryId } = await requireRepository(database.read, project, given.repository_id)
  const requester = { userId: requireSignedIn(actor).userId, isAdministrator: isAdministrator(actor) }
  const limit = new Date(clock.now().getTime() - hourSeconds * 1000).toISOString()
  const isAccepted = await database.write(async (tx) => {
    if (!(await acceptBulkDeletion(tx, repositoryId, now(clock), limit))) return false
    await enqueue(platform, tx, deleteTagsJob, { repositoryId, requester, rules: rulesOf(given) })
    return true
  })
  return isAccepted ? { message: '202 Accepted' } : refuseAgain(platform, repositoryId)
}

/** The level of the requester in the project; null when they may delete tags no more (contract 02 R7, step 1). */
async function currentLevel(platform: Platform, projectId: number, requester: Requester): Promise<number | null> {
  const { read } = platform.database
  const [user, project] = [await userById(read, requester.userId), await projectById(read, projectId)]
  if (user?.state !== 'active' || !project || project.pending_delete) return null
  if (requester.isAdministrator && user.is_admin) return role.administrator
  const { level } = await roleInProject(read, user.id, project, dayOf(platform.clock.now()))
  return level >= role.developer ? level : null
}

/** Deletes the tags that an accepted call chose. It ends without effect when the caller lost their role meanwhile. */
export const deleteTagsJob: Job<BulkDeletionPayload> = {
  kind: 'container_registry.delete_tags',
  queue: 'removal',
  async run(platform, { repositoryId, requester, rules }, { signal }) {
    const row = await repositoryById(platform.database.read, repositoryId)
    if (!row?.project_id || row.status !== null) return
    const level = await currentLevel(platform, row.project_id, requester)
    if (level === null) return
    const isProtected = await tagsProtectedFromDeletion(platform.database.read, row.project_id, level)
    await cleanRepository(platform, { repositoryId, isProtected }, rules, signal)
  },
}
