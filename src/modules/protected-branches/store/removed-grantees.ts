import { sql } from 'kysely'
import { within } from '../../../infra/database/index.ts'
import type { Events, Reaction } from '../../../platform/index.ts'
import { deleteEntriesOf } from './entries.ts'

const branchRulesOf = (projectId: number) => sql`select id from protected_branches where project_id = ${projectId}`
const tagRulesOf = (projectId: number) => sql`select id from protected_tags where project_id = ${projectId}`

/** Removes a deploy key from the rules of a project that disabled it (contract 1.29). */
export const removeDeployKey: Reaction<Events['deploy_key.removed']> = async (_platform, tx, { projectId, keyId }) => {
  const key = { column: 'deploy_key_id', id: keyId } as const
  await deleteEntriesOf(tx, key, branchRulesOf(projectId), tagRulesOf(projectId))
}

/** Removes a group from the rules of a project that is no longer shared with it. */
export const removeUnsharedGroup: Reaction<Events['project.unshared']> = async (_platform, tx, unshared) => {
  const { projectId, groupId } = unshared
  const group = { column: 'group_id', id: groupId } as const
  await deleteEntriesOf(tx, group, branchRulesOf(projectId), tagRulesOf(projectId))
}

/** Removes a group from the rules of a group to which it is no longer invited. */
export const removeInvitedGroup: Reaction<Events['group.unshared']> = async (_platform, tx, { groupId, invitedId }) => {
  const rules = sql`select id from protected_branches where namespace_id = ${groupId}`
  const none = sql`select id from protected_tags where 1 = 0`
  await deleteEntriesOf(tx, { column: 'group_id', id: invitedId }, rules, none)
}

/**
 * Removes a user from the rules of a project or group that they leave, and of the projects below it in which they have no
 * other membership (contract 01, "What other domains must do").
 */
export const removeEndingMember: Reaction<Events['members.ending']> = async (_platform, tx, { userId, memberIds }) => {
  const ending = tx.selectFrom('members').select(['project_id', 'namespace_id'])
  const rows = await ending.where(within(tx, 'members.id', memberIds)).execute()
  const projects = rows.flatMap(({ project_id }) => project_id ?? [])
  const groups = rows.flatMap(({ namespace_id }) => namespace_id ?? [])
  const left = sql`select p.id from projects p where ${within(tx, 'p.id', projects)}
    or (p.namespace_id in (select namespace_id from namespace_ancestors where ${within(tx, 'ancestor_id', groups)})
      and not exists (select 1 from members m where m.user_id = ${userId} and not ${within(tx, 'm.id', memberIds)}
        and (m.project_id = p.id or m.namespace_id in (
          select ancestor_id from namespace_ancestors where namespace_id = p.namespace_id))))`
  const branchRules = sql`select id from protected_branches
    where project_id in (${left}) or ${within(tx, 'namespace_id', groups)}`
  const tagRules = sql`select id from protected_tags where project_id in (${left})`
  await deleteEntriesOf(tx, { column: 'user_id', id: userId }, branchRules, tagRules)
}
