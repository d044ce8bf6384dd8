import { type Actor, type PageRequest, pageOfList, recordNotFound } from '../../../api/index.ts'
import { acquireLock, now } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import type { Project } from '../../projects/index.ts'
import { ruleOwnerOf } from '../../protected-branches/index.ts'
import { asTaken, kindOf, namedIn, refuseInvalid, refuseMore, withHiddenGroups } from '../approval-rules/input.ts'
import { rulePresenter } from '../approval-rules/presenting.ts'
import type { ApprovalRuleChanges, NewApprovalRule } from './params.ts'
import * as store from './store.ts'

/** A page of the rules of a project (contract 19, x.approval_rules). */
export async function listRules(platform: Platform, project: Project, actor: Actor, page: PageRequest) {
  const { items, ...rest } = pageOfList(await store.rulesOf(platform.database.read, [project.id]), page)
  const present = await rulePresenter(platform, ruleOwnerOf(project), actor, items)
  return { ...rest, items: items.map(present) }
}

async function requireRule({ database }: Platform, project: Project, id: number) {
  const rule = (await store.rulesOf(database.read, [project.id])).find((one) => one.id === id)
  if (!rule) throw recordNotFound()
  return rule
}

/** One rule (contract 24, x.approval_rule_get). @throws ApiError 404 */
export async function getRule(platform: Platform, project: Project, actor: Actor, id: number) {
  const rule = await requireRule(platform, project, id)
  return (await rulePresenter(platform, ruleOwnerOf(project), actor, [rule]))(rule)
}

/** Where users of a rule need a role, and whose branches it may name. */
const placeOf = (project: Project) => ({
  source: { kind: 'project', id: project.id, namespaceId: project.namespace_id } as const,
  project,
})

/** Adds a rule (contract 19, x.approval_rule_create). @throws ApiError 400 */
export async function createRule(
  platform: Platform,
  project: Project,
  { actor, act }: { actor: Actor; act: Act },
  given: NewApprovalRule,
) {
  refuseInvalid(given)
  const named = await namedIn(platform, placeOf(project), actor, given)
  const { name, approvals_required } = given
  const row = {
    ...{ project_id: project.id, name, approvals_required, ...kindOf(given), created_at: now(platform.clock) },
    applies_to_all_protected_branches: given.applies_to_all_protected_branches ?? false,
  }
  const id = await platform.database
    .write(async (tx) => {
      await acquireLock(tx, `approval_rules:${project.id}`)
      refuseMore(await store.countRules(tx, project.id))
      const inserted = await store.insertRule(tx, row, named)
      await act(tx, inserted)
      return inserted
    })
    .catch((error) => Promise.reject(asTaken(error)))
  return getRule(platform, project, actor, id)
}

/** Changes a rule (contract 19, x.approval_rule_update). @throws ApiError 400, 404 */
export async function updateRule(
  platform: Platform,
  project: Project,
  { actor, act }: { actor: Actor; act: Act },
  id: number,
  given: ApprovalRuleChanges,
) {
  refuseInvalid(given)
  const wanted = await namedIn(platform, placeOf(project), actor, given)
  const { groupIds } = await requireRule(platform, project, id)
  const named = await withHiddenGroups(platform, actor, wanted, groupIds, given)
  const { name, approvals_required, applies_to_all_protected_branches } = given
  const changes = {
    ...(name !== undefined && { name }),
    ...(approvals_required !== undefined && { approvals_required }),
    ...(applies_to_all_protected_branches !== undefined && { applies_to_all_protected_branches }),
  }
  await platform.database
    .write(async (tx) => {
      if (!(await store.changeRule(tx, project.id, id, changes, named))) throw recordNotFound()
      await act(tx, id)
    })
    .catch((error) => Promise.reject(asTaken(error)))
  return getRule(platform, project, actor, id)
}

/** @throws ApiError 404 (contract 19, x.approval_rule_delete) */
export async function deleteRule({ database }: Platform, project: Project, id: number, act: Act): Promise<void> {
  await database.write(async (tx) => {
    if (!(await store.deleteRule(tx, project.id, id))) throw recordNotFound()
    await act(tx, id)
  })
}
