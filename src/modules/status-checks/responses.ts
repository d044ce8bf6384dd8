import { type Actor, failure, type PageRequest, pageOfList, recordNotFound } from '../../api/index.ts'
import { claim, now } from '../../infra/database/index.ts'
import type { Platform } from '../../platform/index.ts'
import {
  holdMergeRequest,
  mergeIfMarked,
  type ProjectMergeRequest,
  presentSingle,
  requireHead,
  upToDate,
} from '../merge-requests/index.ts'
import { may } from '../projects/index.ts'
import { requireCheck } from './checks.ts'
import type { StatusCheckResponse } from './params.ts'
import { ExternalStatusCheck, MergeRequestStatusCheck } from './present.ts'
import { sendAgain } from './sending.ts'
import { checksWithStatus, statusBy } from './statuses.ts'
import * as store from './store.ts'

/** A page of the checks of a merge request, with their status at its head (contract 24, x.mr_status_checks). */
export async function listStatuses(platform: Platform, asked: ProjectMergeRequest, actor: Actor, page: PageRequest) {
  const row = await upToDate(platform, asked)
  const checks = (await checksWithStatus(platform, platform.database.read, [row]))(row)
  const found = pageOfList(checks, page)
  const view = { showsAddress: may(actor, asked.project, 'read_approval_rules') }
  return { ...found, items: found.items.map((check) => MergeRequestStatusCheck.present(check, view)) }
}

/**
 * Stores what an external program says of the head of a merge request (contract 24, x.mr_status_check_respond).
 * @throws ApiError 404, 409
 */
export async function respond(
  platform: Platform,
  asked: ProjectMergeRequest,
  actor: Actor,
  { external_status_check_id: id, sha, status }: StatusCheckResponse,
) {
  await requireCheck(platform.database.read, asked.project.id, id)
  const found = { ...asked, row: await upToDate(platform, asked) }
  const { response, check } = await platform.database.write(async (tx) => {
    const row = await claim(tx, 'external_status_checks', () => requireCheck(tx, asked.project.id, id))
    const held = await holdMergeRequest(tx, found.row.id)
    if (!held) throw recordNotFound()
    requireHead(held, sha)
    const answer = { merge_request_id: held.id, check_id: id, sha, status, answered_at: now(platform.clock) }
    const [check = { ...row, branches: [] }] = await store.withBranches(tx, [row])
    if (status === 'passed' && held.auto_merge) await mergeIfMarked(platform, tx, held.id)
    return { response: await store.putResponse(tx, answer), check }
  })
  return {
    id: response.id,
    merge_request: await presentSingle(platform, found, actor),
    external_status_check: ExternalStatusCheck.present(check),
  }
}

const notFailed = () => failure(422, 'External status check must be failed')

/**
 * Puts a failed check back to pending and sends the merge request to it again (contract 24, x.mr_status_check_retry).
 * @throws ApiError 404, 422
 */
export async function retry(
  platform: Platform,
  asked: ProjectMergeRequest,
  { userId, checkId }: { userId: number; checkId: number },
) {
  await requireCheck(platform.database.read, asked.project.id, checkId)
  const { id } = await upToDate(platform, asked)
  await platform.database.write(async (tx) => {
    await claim(tx, 'external_status_checks', () => requireCheck(tx, asked.project.id, checkId))
    const held = await holdMergeRequest(tx, id)
    if (!held) throw recordNotFound()
    const responses = await store.responsesTo(tx, [{ mergeRequestId: id, sha: held.sha }])
    const response = responses.find(({ check_id }) => check_id === checkId)
    if (!response || statusBy(response, platform.clock.now()) !== 'failed') throw notFailed()
    await store.removeResponse(tx, response.id)
    await sendAgain(platform, tx, checkId, { mergeRequestId: id, projectId: held.project_id, userId })
  })
  return { message: '202 Accepted' }
}
