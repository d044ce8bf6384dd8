import {
  type Actor,
  failure,
  isAdministrator,
  notFound,
  type PageRequest,
  pageOfList,
  requireSignedIn,
  unauthorized,
  unavailable,
} from '../../../api/index.ts'
import { hasTier } from '../../../config.ts'
import { now } from '../../../infra/database/index.ts'
import { PasswordQueueFull } from '../../../infra/secrets/index.ts'
import { type Platform, react } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { addSystemNote, markTodosDone } from '../../notes/index.ts'
import { may } from '../../projects/index.ts'
import { ruleOwnerOf } from '../../protected-branches/index.ts'
import { checkPassword, presentingUsers, presentUserBasic, userById, usersByIds } from '../../users/index.ts'
import { isOverwritten } from '../approval-rules/applicable.ts'
import { groupPresenter, rulePresenter } from '../approval-rules/presenting.ts'
import { requestFields, sourcesOf } from '../approval-rules/sources.ts'
import { approvalSettingsOf } from '../approval-settings/effective.ts'
import type { ApprovalSettings } from '../approval-settings/keys.ts'
import { presentBasics } from '../core/present.ts'
import { upToDate } from '../core/single.ts'
import { holdMergeRequest } from '../core/store.ts'
import { isAuthor, issuableOf, type ProjectMergeRequest } from '../subject.ts'
import { hasCommitted } from './committers.ts'
import { approvalProgress } from './progress.ts'
import * as store from './store.ts'
import { suggestedApprovers } from './suggestions.ts'

/**
 * Whether the caller may approve at all: developers, the author where the settings say so, and not who has written a commit where
 * they say so (contract 19, "Permissions"; 24, Approvals).
 */
async function isEligible(
  platform: Platform,
  actor: Actor,
  { project, row }: ProjectMergeRequest,
  settings: ApprovalSettings,
): Promise<boolean> {
  if (actor.kind !== 'user' || !may(actor, project, 'approve_merge_requests')) return false
  if (isAuthor(actor, row) && !settings.allow_author_approval.value) return false
  return settings.allow_committer_approval.value || !(await hasCommitted(platform, row, actor.userId))
}

/** @throws ApiError 401 without the password of the caller; 429 and 503 as signing in */
async function requirePassword(platform: Platform, userId: number, { approval_password: password, ip }: Approving) {
  const user = await userById(platform.database.read, userId)
  const isRight =
    password !== undefined &&
    user !== null &&
    (await checkPassword(platform, user, password, ip).catch((error) => {
      throw error instanceof PasswordQueueFull ? unavailable() : error
    }))
  if (!isRight) throw unauthorized()
}

/** Presents users by id. */
async function people(platform: Platform, ids: readonly number[]) {
  const [users, presenting] = await Promise.all([
    usersByIds(platform.database.read, [...new Set(ids)]),
    presentingUsers(platform),
  ])
  return (id: number) => {
    const user = users.get(id)
    return user ? [presentUserBasic(user, presenting)] : []
  }
}

/** Who has approved, and what the rules still require (contract 19, x.mr_approvals). */
export async function getApprovals(platform: Platform, found: ProjectMergeRequest, actor: Actor) {
  const { row } = found
  const db = platform.database.read
  const [approvals, progress, [basic], settings] = await Promise.all([
    store.approvalsOf(db, [row.id]),
    approvalProgress(platform, [row]),
    presentBasics(platform, [row], { kind: 'project' }),
    approvalSettingsOf(platform, found.project),
  ])
  const given = approvals.get(row.id) ?? []
  const rules = progress.get(row.id) ?? []
  const named = [...new Set(rules.flatMap(({ rule }) => rule.userIds))]
  const approvers = given.map(({ user_id }) => user_id)
  const [suggested, groups] = await Promise.all([
    suggestedApprovers(platform, found, rules, { approvers, mayApproveOwn: settings.allow_author_approval.value }),
    groupPresenter(
      platform,
      actor,
      rules.flatMap(({ rule }) => rule.groupIds),
    ),
  ])
  const shown = await people(platform, [...approvers, ...named, ...suggested])
  const left = rules.reduce((sum, { missing }) => sum + missing, 0)
  const hasApproved = actor.kind === 'user' && given.some(({ user_id }) => user_id === actor.userId)
  const { id, iid, project_id, title, description, state, created_at, updated_at } = row
  return {
    ...{ id, iid, project_id, title, description, state, created_at, updated_at },
    merge_status: basic?.merge_status ?? 'unchecked',
    // Without rules one approval is enough.
    approved: hasTier(platform.config.edition, 'premium') ? left === 0 : given.length > 0,
    approvals_required: rules.reduce((sum, { required }) => sum + required, 0),
    approvals_left: left,
    require_password_to_approve: settings.require_reauthentication_to_approve.value,
    approved_by: given.flatMap(({ user_id, created_at }) =>
      shown(user_id).map((user) => ({ user, approved_at: created_at })),
    ),
    suggested_approvers: suggested.flatMap(shown),
    approvers: named.flatMap((userId) => shown(userId).map((user) => ({ user }))),
    approver_groups: groups.all.map((group) => ({ group })),
    user_has_approved: hasApproved,
    user_can_approve: !hasApproved && row.state === 'opened' && (await isEligible(platform, actor, found, settings)),
    approval_rules_left: rules
      .filter(({ missing }) => missing > 0)
      .map(({ rule: { id, name, rule_type } }) => ({ id, name, rule_type })),
    has_approval_rules: rules.length > 0,
    merge_request_approvers_available: true,
    multiple_approval_rules_available: true,
    invalid_approvers_rules: [],
  }
}

/** The rules with their progress (contract 19, x.mr_approval_state). */
export async function getApprovalState(platform: Platform, { project, row }: ProjectMergeRequest, actor: Actor) {
  const rules = (await approvalProgress(platform, [row])).get(row.id) ?? []
  const present = await rulePresenter(
    platform,
    ruleOwnerOf(project),
    actor,
    rules.map(({ rule }) => rule),
  )
  const sourceOf = await sourcesOf(
    platform,
    project.id,
    rules.map(({ rule }) => rule),
  )
  const shown = await people(
    platform,
    rules.flatMap(({ approvedBy }) => approvedBy),
  )
  return {
    approval_rules_overwritten: isOverwritten(rules.map(({ rule }) => rule)),
    rules: rules.map(({ rule, approvedBy, missing }) => ({
      ...present(rule),
      approved: missing === 0,
      approved_by: approvedBy.flatMap(shown),
      ...requestFields(rule, sourceOf(rule)),
      code_owner: false,
    })),
  }
}

type Approving = {
  /** The head that the caller has seen. */
  sha?: string
  /** The password of the caller, where the settings ask for it. */
  approval_password?: string
  /** The address of the client, whose wrong passwords are counted. */
  ip?: string
}

/** Approves (contract 19, x.mr_approve; 24, Approvals). @throws ApiError 401, 409; 429 and 503 as signing in */
export async function approve(platform: Platform, asked: ProjectMergeRequest, actor: Actor, given: Approving) {
  const { userId } = requireSignedIn(actor)
  const { sha } = given
  const found = { ...asked, row: await upToDate(platform, asked) }
  const settings = await approvalSettingsOf(platform, found.project)
  if (found.row.state !== 'opened' || !(await isEligible(platform, actor, found, settings))) throw unauthorized()
  if (settings.require_reauthentication_to_approve.value) await requirePassword(platform, userId, given)
  await platform.database.write(async (tx) => {
    const held = await holdMergeRequest(tx, found.row.id)
    if (held?.state !== 'opened') throw unauthorized()
    if (sha && sha !== held.sha) throw failure(409, `SHA does not match HEAD of source branch: ${held.sha}`)
    // The commits of another head were not looked at.
    if (!settings.allow_committer_approval.value && held.sha !== found.row.sha) throw unauthorized()
    const at = now(platform.clock)
    if (!(await store.insertApproval(tx, held.id, userId, at))) throw unauthorized()
    await react(platform, tx, 'merge_request.approved', { mergeRequestId: held.id, projectId: held.project_id, userId })
    await store.setReviewerState(tx, held.id, userId, 'approved')
    const target = issuableOf(held)
    await addSystemNote(tx, target, 'approved this merge request', { userId, at })
    await markTodosDone(platform, tx, target, userId)
  })
  return getApprovals(platform, found, actor)
}

/** Withdraws the caller's approval (contract 19, x.mr_unapprove). @throws ApiError 404 */
export async function unapprove(platform: Platform, found: ProjectMergeRequest, actor: Actor) {
  const { userId } = requireSignedIn(actor)
  await platform.database.write(async (tx) => {
    if (!(await store.deleteApproval(tx, found.row.id, userId))) throw notFound()
    const withdrawn = { mergeRequestId: found.row.id, projectId: found.project.id, userId }
    await react(platform, tx, 'merge_request.unapproved', withdrawn)
    await store.setReviewerState(tx, found.row.id, userId, 'unapproved')
    const origin = { userId, at: now(platform.clock) }
    await addSystemNote(tx, issuableOf(found.row), 'unapproved this merge request', origin)
  })
  return getApprovals(platform, found, actor)
}

/** Removes all approvals; only for bots of the project or group (contract 19, x.mr_reset_approvals). @throws ApiError 401 */
export async function resetApprovals(platform: Platform, { project, row }: ProjectMergeRequest, actor: Actor) {
  const { userId } = requireSignedIn(actor)
  const user = await userById(platform.database.read, userId)
  const isBot = user?.bot_kind === 'project_bot' || user?.bot_kind === 'group_bot'
  const isAdmitted = isBot && (isAdministrator(actor) || project.role.level >= role.developer)
  if (!isAdmitted || row.state === 'merged') throw unauthorized()
  await platform.database.write((tx) => store.withdrawApprovals(tx, row.id))
}

/** A page of the reviewers (contract 19, x.mr_reviewers). */
export async function listReviewers(platform: Platform, { row }: ProjectMergeRequest, page: PageRequest) {
  const all = (await store.reviewersOf(platform.database.read, [row.id])).get(row.id) ?? []
  const { items, ...rest } = pageOfList(all, page)
  const shown = await people(
    platform,
    items.map(({ user_id }) => user_id),
  )
  return {
    ...rest,
    items: items.flatMap(({ user_id, state, created_at }) =>
      shown(user_id).map((user) => ({ user, state, created_at })),
    ),
  }
}
