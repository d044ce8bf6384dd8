import {
  type Actor,
  forbidden,
  type PageRequest,
  pageOfList,
  recordNotFound,
  refuse,
  type Unmodified,
} from '../../../api/index.ts'
import { acquireLock, claim, now, type Reader, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { may } from '../../projects/index.ts'
import { ruleOwnerOf } from '../../protected-branches/index.ts'
import { approvalSettingsOf } from '../approval-settings/effective.ts'
import type { NewRequestRule, ScopedRuleChanges } from '../approvals/params.ts'
import { type NamedRule, rulesOf } from '../approvals/store.ts'
import { holdMergeRequest } from '../core/store.ts'
import { isAuthor, type ProjectMergeRequest } from '../subject.ts'
import type { ScopedRuleRow } from '../tables.ts'
import { rulesOfRequests } from './applicable.ts'
import { asTaken, kindOf, namedIn, refuseInvalid, refuseMore, withHiddenGroups } from './input.ts'
import { rulePresenter } from './presenting.ts'
import { requestFields, sourcesOf } from './sources.ts'
import * as store from './store.ts'

const scopeOf = ({ row }: ProjectMergeRequest) => ({ kind: 'merge_request', id: row.id }) as const

/**
 * @throws ApiError 403 for others than developers and the author, for a merge request that is not open, and where the settings allow
 *   merge requests no rules of their own
 */
export async function requireOverriding(platform: Platform, found: ProjectMergeRequest, actor: Actor): Promise<void> {
  const { project, row } = found
  const mayWrite = may(actor, project, 'approve_merge_requests') || isAuthor(actor, row)
  if (!mayWrite || !may(actor, project, 'update_merge_requests') || row.state !== 'opened') throw forbidden()
  const settings = await approvalSettingsOf(platform, project)
  if (!settings.allow_overrides_to_approver_list_per_merge_request.value) throw forbidden()
}

/** Locks an open merge request. @throws ApiError 403 when it was closed or merged meanwhile, 404 when it was deleted */
async function holdOpen(tx: Tx, { row }: ProjectMergeRequest): Promise<void> {
  const held = await holdMergeRequest(tx, row.id)
  if (!held) throw recordNotFound()
  if (held.state !== 'opened') throw forbidden()
}

async function presentRules(
  platform: Platform,
  { project }: ProjectMergeRequest,
  actor: Actor,
  rules: readonly NamedRule[],
) {
  const hidesMembers = !may(actor, project, 'read_approval_rules')
  const [present, sourceOf] = await Promise.all([
    rulePresenter(platform, ruleOwnerOf(project), actor, rules, { hidesMembers }),
    sourcesOf(platform, project.id, rules),
  ])
  return rules.map((rule) => {
    const { protected_branches: _, applies_to_all_protected_branches: __, ...shown } = present(rule)
    return { ...shown, ...requestFields(rule, sourceOf(rule)) }
  })
}

/** The rules that count for a merge request: its own or those of its project, and those of the groups above. */
async function rulesFor(platform: Platform, { row }: ProjectMergeRequest): Promise<readonly NamedRule[]> {
  return (await rulesOfRequests(platform, [row])).get(row.id) ?? []
}

/** A page of the rules of a merge request (contract 24, x.mr_approval_rules). */
export async function listRequestRules(
  platform: Platform,
  found: ProjectMergeRequest,
  actor: Actor,
  page: PageRequest,
) {
  const { items, ...rest } = pageOfList(await rulesFor(platform, found), page)
  return { ...rest, items: await presentRules(platform, found, actor, items) }
}

/** One of them (contract 24, x.mr_approval_rule_get). @throws ApiError 404 */
export async function getRequestRule(platform: Platform, found: ProjectMergeRequest, actor: Actor, id: number) {
  const rule = (await rulesFor(platform, found)).find((one) => one.id === id)
  const [shown] = rule ? await presentRules(platform, found, actor, [rule]) : []
  if (!shown) throw recordNotFound()
  return shown
}

function refuseBelow(required: number | undefined, source: Pick<NamedRule, 'approvals_required'> | undefined): void {
  if (required === undefined || !source || required >= source.approvals_required) return
  refuse({ approvals_required: [`must be greater than or equal to ${source.approvals_required}`] })
}

async function sourceRule(db: Reader, projectId: number, id: number | null | undefined) {
  return id ? (await rulesOf(db, [projectId])).find((rule) => rule.id === id) : undefined
}

/** The rule of the project that a request names. @throws ApiError 404; 403 for one of a report, which is not written in merge requests */
async function copiedRule({ database }: Platform, found: ProjectMergeRequest, id: number | undefined) {
  if (id === undefined) return undefined
  const source = await sourceRule(database.read, found.project.id, id)
  if (!source) throw recordNotFound()
  if (source.report_type !== null) throw forbidden()
  return source
}

const peopleOf = ({ project }: ProjectMergeRequest) => ({
  source: { kind: 'project', id: project.id, namespaceId: project.namespace_id } as const,
})

/** Adds a rule to a merge request (contract 24, x.mr_approval_rule_create). @throws ApiError 400, 403, 404 */
export async function createRequestRule(
  platform: Platform,
  found: ProjectMergeRequest,
  actor: Actor,
  given: NewRequestRule,
) {
  await requireOverriding(platform, found, actor)
  const source = await copiedRule(platform, found, given.approval_project_rule_id)
  refuseInvalid(given)
  refuseBelow(given.approvals_required, source)
  const named = source ?? (await namedIn(platform, peopleOf(found), actor, given))
  const rule_type = given.rule_type ?? source?.rule_type
  const { name } = source ?? given
  const at = now(platform.clock)
  const row = {
    ...{ name, approvals_required: given.approvals_required, source_rule_id: source?.id ?? null },
    ...kindOf({ name, report_type: given.report_type, ...(rule_type && { rule_type }) }),
    ...{ created_at: at, updated_at: at },
  }
  const scope = scopeOf(found)
  const id = await platform.database
    .write(async (tx) => {
      await holdOpen(tx, found)
      await acquireLock(tx, `approval_rules:merge_request:${scope.id}`)
      refuseMore(await store.countScopedRules(tx, scope))
      return store.insertScopedRule(tx, scope, row, named)
    })
    .catch((error) => Promise.reject(asTaken(error)))
  return getRequestRule(platform, found, actor, id)
}

/**
 * The row of an own rule of a merge request, by the id as it is shown.
 * @throws ApiError 403 for rules of a report, of the project and of groups, which are not changed in a merge request; 404
 */
async function requireOwn(
  tx: Tx,
  found: ProjectMergeRequest,
  id: number,
  all: readonly NamedRule[],
): Promise<ScopedRuleRow> {
  const row = await claim(tx, 'scoped_approval_rules', () => store.scopedRow(tx, scopeOf(found), id))
  if (row?.report_type === null) return row
  if (row || all.some((rule) => rule.id === id && rule.scope.kind !== 'merge_request')) throw forbidden()
  throw recordNotFound()
}

/** Changes a rule of a merge request (contract 24, x.mr_approval_rule_update). @throws ApiError 400, 403, 404 */
export async function updateRequestRule(
  platform: Platform,
  found: ProjectMergeRequest,
  actor: Actor,
  id: number,
  given: ScopedRuleChanges,
) {
  await requireOverriding(platform, found, actor)
  refuseInvalid(given)
  const all = await rulesFor(platform, found)
  const wanted = await namedIn(platform, peopleOf(found), actor, given)
  const groupIds = all.find((rule) => rule.id === id)?.groupIds ?? []
  const named = await withHiddenGroups(platform, actor, wanted, groupIds, given)
  const { name, approvals_required } = given
  await platform.database
    .write(async (tx) => {
      const row = await requireOwn(tx, found, id, all)
      refuseBelow(approvals_required, await sourceRule(tx, found.project.id, row.source_rule_id))
      const changes = {
        ...(name !== undefined && { name }),
        ...(approvals_required !== undefined && { approvals_required }),
      }
      await store.changeScopedRow(tx, row.id, { ...changes, updated_at: now(platform.clock) }, named)
    })
    .catch((error) => Promise.reject(asTaken(error)))
  return getRequestRule(platform, found, actor, id)
}

/** Deletes a rule of a merge request (contract 24, x.mr_approval_rule_delete). @throws ApiError 403, 404; 412 by `unmodified` */
export async function deleteRequestRule(
  platform: Platform,
  found: ProjectMergeRequest,
  actor: Actor,
  { id, unmodified }: { id: number; unmodified: Unmodified },
): Promise<void> {
  await requireOverriding(platform, found, actor)
  const all = await rulesFor(platform, found)
  await platform.database.write(async (tx) => {
    const row = await requireOwn(tx, found, id, all)
    unmodified(row.updated_at)
    await store.deleteScopedRow(tx, row.id)
  })
}
