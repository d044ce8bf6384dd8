import type { Tx } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { type MemberRow, membersByIds, membershipIn } from '../../access/index.ts'
import { keyById } from '../../keys/index.ts'
import { namespaceById } from '../../namespaces/index.ts'
import { projectById } from '../../projects/index.ts'
import { usersByIds } from '../../users/index.ts'
import { callsNone, fire, fireTo, receiversFor } from '../firing/fire.ts'
import { groupEvent, keyEvent, memberEvent, projectEvent, subgroupEvent, userEvent } from '../payloads/instance.ts'

const ofProject =
  (trigger: 'project' | 'system', event: string): Reaction<{ projectId: number }> =>
  (platform, tx, { projectId }) =>
    fire(
      platform,
      tx,
      { trigger, projectId },
      {
        async own() {
          const row = await projectById(tx, projectId)
          return row && projectEvent(tx, row, event)
        },
      },
    )

const hookCreatedProject = ofProject('project', 'project_create')

/** Imports raise no hooks (contract 25, What an import makes). */
export const hookNewProjects: Reaction<Events['project.created']> = async (platform, tx, created) => {
  if (!created.isImported) await hookCreatedProject(platform, tx, created)
}
export const hookRemovedProjects = ofProject('project', 'project_destroy')
export const hookUpdatedProjects = ofProject('system', 'project_update')

/** A project was renamed or moved to another namespace. */
export const hookMovedProjects: Reaction<Events['project.moved']> = (
  platform,
  tx,
  { projectId, formerPath, formerNamespaceId },
) =>
  fire(
    platform,
    tx,
    { trigger: 'system' },
    {
      async system() {
        const row = await projectById(tx, projectId)
        // One that is marked for deletion gives its path away.
        if (!row || row.original_path !== null) return null
        const event = row.namespace_id === formerNamespaceId ? 'project_rename' : 'project_transfer'
        return projectEvent(tx, row, event, { old_path_with_namespace: formerPath })
      },
    },
  )

const ofGroup =
  (verb: 'create' | 'destroy'): Reaction<{ groupId: number }> =>
  (platform, tx, { groupId }) =>
    fire(
      platform,
      tx,
      { trigger: 'subgroup', namespaceId: groupId },
      {
        // Those of the group itself are about to be deleted.
        accepts: ({ namespace_id }) => namespace_id !== groupId,
        async own() {
          const row = await namespaceById(tx, groupId)
          return row && subgroupEvent(tx, row, `subgroup_${verb}`)
        },
        async system() {
          const row = await namespaceById(tx, groupId)
          return row && groupEvent(row, `group_${verb}`)
        },
      },
    )

const hookCreatedGroup = ofGroup('create')

/** Imports raise no hooks (contract 25, What an import makes). */
export const hookNewGroups: Reaction<Events['group.created']> = async (platform, tx, created) => {
  if (!created.isImported) await hookCreatedGroup(platform, tx, created)
}
export const hookRemovedGroups = ofGroup('destroy')

const lastOf = (fullPath: string) => fullPath.slice(fullPath.lastIndexOf('/') + 1)

/** A group or a user has another path. Other moves are no renames. */
export const hookRenames: Reaction<Events['namespace.moved']> = (platform, tx, { namespaceId, formerPath }) =>
  fire(
    platform,
    tx,
    { trigger: 'system' },
    {
      async system() {
        const row = await namespaceById(tx, namespaceId)
        const old = lastOf(formerPath)
        // One that is marked for deletion gives its path away; an account that is deleted has none.
        if (!row || row.path === old || row.original_path !== null || row.path.startsWith('-')) return null
        if (row.kind === 'group') return groupEvent(row, 'group_rename', { old_path: old, old_full_path: formerPath })
        const user = row.owner_id === null ? null : (await usersByIds(tx, [row.owner_id])).get(row.owner_id)
        return user ? userEvent({ ...user, username: row.path }, 'user_rename', { old_username: old }) : null
      },
    },
  )

type Source = { kind: 'project' | 'group'; id: number }

const memberEvents = {
  added: { project: 'user_add_to_team', group: 'user_add_to_group' },
  changed: { project: 'user_update_for_team', group: 'user_update_for_group' },
  removed: { project: 'user_remove_from_team', group: 'user_remove_from_group' },
} as const

/** Events of members of projects call hooks of the instance only. The hooks are found once for all members. */
async function fireMembers(
  platform: Platform,
  tx: Tx,
  source: Source,
  what: keyof typeof memberEvents,
  find: readonly (() => Promise<MemberRow | null>)[],
): Promise<void> {
  const trigger = source.kind === 'group' ? 'member' : 'system'
  const place = source.kind === 'group' ? { namespaceId: source.id } : { projectId: source.id }
  const called = await receiversFor(platform, tx, { trigger, ...place })
  if (callsNone(called)) return
  for (const one of find) {
    const member = await one()
    const payload = member && (await memberEvent(tx, member, memberEvents[what]))
    if (payload) await fireTo(platform, tx, called, { trigger, projectId: 0, payloads: { own: async () => payload } })
  }
}

const memberOf = async (tx: Tx, id: number) => (await membersByIds(tx, [id]))[0] ?? null

export const hookNewMembers: Reaction<Events['members.added']> = (platform, tx, { source, memberIds }) =>
  fireMembers(
    platform,
    tx,
    source,
    'added',
    memberIds.map((id) => () => memberOf(tx, id)),
  )

export const hookChangedMembers: Reaction<Events['member.changed']> = (platform, tx, { source, memberId }) =>
  fireMembers(platform, tx, source, 'changed', [() => memberOf(tx, memberId)])

export const hookEndingMembers: Reaction<Events['members.ending']> = (platform, tx, { source, userId }) =>
  fireMembers(platform, tx, source, 'removed', [() => membershipIn(tx, source, userId)])

/** An administrator has created an account. */
export const hookNewUsers: Reaction<Events['user.saved']> = async (platform, tx, { userId, isNew }) => {
  if (!isNew) return
  await fire(
    platform,
    tx,
    { trigger: 'system' },
    {
      async system() {
        const user = (await usersByIds(tx, [userId])).get(userId)
        return user ? userEvent(user, 'user_create') : null
      },
    },
  )
}

export const hookRemovedUsers: Reaction<Events['user.removal_began']> = (platform, tx, { userId, former }) =>
  fire(
    platform,
    tx,
    { trigger: 'system' },
    {
      async system() {
        const user = (await usersByIds(tx, [userId])).get(userId)
        return user ? userEvent({ ...user, ...former }, 'user_destroy') : null
      },
    },
  )

const ofKey =
  (event: 'key_create' | 'key_destroy'): Reaction<{ keyId: number }> =>
  (platform, tx, { keyId }) =>
    fire(
      platform,
      tx,
      { trigger: 'system' },
      {
        async system() {
          const key = await keyById(tx, keyId)
          const userId = key?.user_id ?? null
          const user = userId === null ? null : (await usersByIds(tx, [userId])).get(userId)
          return key && user ? keyEvent(key, user, event) : null
        },
      },
    )

export const hookNewKeys = ofKey('key_create')
export const hookRemovedKeys = ofKey('key_destroy')
