import { type Actor, type PageRequest, pageOfList, recordNotFound } from '../../../api/index.ts'
import { acquireLock, claim, now } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { isFeatureOn } from '../../features/index.ts'
import { type Group, heldGroup } from '../../groups/index.ts'
import type { NewGroupRule, ScopedRuleChanges } from '../approvals/params.ts'
import { asTaken, kindOf, namedIn, refuseInvalid, refuseMore, withHiddenGroups } from './input.ts'
import { rulePresenter } from './presenting.ts'
import * as store from './store.ts'

const scopeOf = ({ id }: Group) => ({ kind: 'group', id }) as const
const placeOf = ({ id }: Group) => ({ kind: 'group', id, namespaceId: id }) as const

type Changing = { actor: Actor; act: Act }

/** The rules of a group. @throws ApiError 404 while groups have no rules */
async function rulesOf(platform: Platform, { id: groupId }: Group) {
  if (!(await isFeatureOn(platform, 'approval_group_rules', { groupId }))) throw recordNotFound()
  return store.scopedRulesOf(platform.database.read, 'group', [groupId])
}

async function requireRule(platform: Platform, group: Group, id: number) {
  const rule = (await rulesOf(platform, group)).find((one) => one.id === id)
  if (!rule) throw recordNotFound()
  return rule
}

/** A page of the rules of a group (contract 24, x.group_approval_rules). @throws ApiError 404 */
export async function listGroupRules(platform: Platform, group: Group, actor: Actor, page: PageRequest) {
  const { items, ...rest } = pageOfList(await rulesOf(platform, group), page)
  return { ...rest, items: items.map(await rulePresenter(platform, placeOf(group), actor, items)) }
}

/** One rule of a group (contract 24, x.group_approval_rule_get). @throws ApiError 404 */
export async function getGroupRule(platform: Platform, group: Group, actor: Actor, id: number) {
  const rule = await requireRule(platform, group, id)
  return (await rulePresenter(platform, placeOf(group), actor, [rule]))(rule)
}

/** Adds a rule to a group (contract 24, x.group_approval_rule_create). @throws ApiError 400, 404 */
export async function createGroupRule(platform: Platform, group: Group, { actor, act }: Changing, given: NewGroupRule) {
  await rulesOf(platform, group)
  refuseInvalid(given)
  const named = await namedIn(platform, { source: placeOf(group) }, actor, given)
  const { name, approvals_required } = given
  const at = now(platform.clock)
  const row = { name, approvals_required, ...kindOf(given), created_at: at, updated_at: at }
  const scope = scopeOf(group)
  const id = await platform.database
    .write(async (tx) => {
      await heldGroup(tx, group.id)
      await acquireLock(tx, `approval_rules:group:${group.id}`)
      refuseMore(await store.countScopedRules(tx, scope))
      const inserted = await store.insertScopedRule(tx, scope, row, named)
      await act(tx, inserted)
      return inserted
    })
    .catch((error) => Promise.reject(asTaken(error)))
  return getGroupRule(platform, group, actor, id)
}

/** Changes a rule of a group (contract 24, x.group_approval_rule_update). @throws ApiError 400, 404 */
export async function updateGroupRule(
  platform: Platform,
  group: Group,
  { actor, act }: Changing,
  id: number,
  given: ScopedRuleChanges,
) {
  const { groupIds } = await requireRule(platform, group, id)
  refuseInvalid(given)
  const wanted = await namedIn(platform, { source: placeOf(group) }, actor, given)
  const named = await withHiddenGroups(platform, actor, wanted, groupIds, given)
  const { name, approvals_required } = given
  await platform.database
    .write(async (tx) => {
      const row = await claim(tx, 'scoped_approval_rules', () => store.scopedRow(tx, scopeOf(group), id))
      if (!row) throw recordNotFound()
      const changes = {
        ...(name !== undefined && { name }),
        ...(approvals_required !== undefined && { approvals_required }),
      }
      await store.changeScopedRow(tx, row.id, { ...changes, updated_at: now(platform.clock) }, named)
      await act(tx, id)
    })
    .catch((error) => Promise.reject(asTaken(error)))
  return getGroupRule(platform, group, actor, id)
}
