import { type Actor, ApiError, dayOf, failure, forbidden, invalid, isAdministrator, notFound } from '../../api/index.ts'
import type { Clock } from '../../infra/clock/index.ts'
import { type Database, isUniqueViolation, now, type Tx } from '../../infra/database/index.ts'
import { role } from '../access/index.ts'
import { insertMembers } from '../members/index.ts'
import {
  holdTree,
  insertNamespace,
  isPathTaken,
  moveNamespace,
  type NamespaceRow,
  namespaceById,
} from '../namespaces/index.ts'
import type { InstanceSettings, Settings } from '../settings/index.ts'
import { type Avatars, readAvatar } from '../users/index.ts'
import { type Group, mayCreateSubgroup, visibleGroup } from './access.ts'
import { type GroupParams, settingChangesOf } from './changes.ts'
import { initialSettings } from './initial-settings.ts'
import type { GroupPresenting } from './presenting.ts'
import { mayCreateTopLevel, refusedLevels } from './rights.ts'
import { changedSettings, settingProblems, settingsOfGroup } from './settings.ts'
import { depthOf, hasMoreVisible, isNameTaken, updateGroup } from './store/groups.ts'
import {
  descriptionProblems,
  failedToSave,
  maximumDepth,
  nameProblems,
  onlyProblems,
  type Problems,
  pathProblems,
  taken,
  tooDeep,
  visibilityProblems,
} from './validation.ts'
import { unrefused } from './visibility.ts'

export type GroupsNeeds = {
  database: Database
  clock: Clock
  settings: Settings
  avatars: Avatars
  presenting: GroupPresenting
}

export type NewGroupParams = GroupParams & { name: string; path: string; parent_id?: number }

/** Making and changing groups (contract 21, x.groups_create, x.groups_update). */
export type Groups = ReturnType<typeof createGroups>

type Place = Pick<NamespaceRow, 'full_path' | 'visibility' | 'id'> | null

/** What a unique index says when two wanted the same at once. */
function takenField(error: unknown): Problems | null {
  if (!isUniqueViolation(error)) return null
  return isUniqueViolation(error, 'namespaces_name_unique') ? { name: [taken] } : { path: [taken] }
}

export function createGroups({ database, clock, settings, avatars, presenting }: GroupsNeeds) {
  const db = database.read

  /** @throws ApiError 404 Group, 403 */
  async function parentFor(actor: Actor, parentId: number | undefined): Promise<Group | null> {
    if (parentId === undefined) {
      if (await mayCreateTopLevel(db, actor)) return null
      throw forbidden()
    }
    const parent = await visibleGroup(db, parentId, actor, dayOf(clock.now()))
    if (!mayCreateSubgroup(actor, parent)) throw forbidden()
    return parent
  }

  /** The parent under the lock of its tree; it may have gone meanwhile. */
  async function held(tx: Tx, parent: Group | null): Promise<NamespaceRow | null> {
    if (!parent) return null
    const row = await holdTree(tx, parent.id)
    if (!row || row.pending_delete) throw notFound('Group')
    if (row.marked_for_deletion_on !== null) throw forbidden()
    return row
  }

  async function problemsOfNew(tx: Tx, params: NewGroupParams, parent: Place, refused: NamespaceRow['visibility'][]) {
    const { name, path, description, visibility } = params
    const fullPath = parent ? `${parent.full_path}/${path}` : path
    const nameTaken = await isNameTaken(tx, parent?.id ?? null, name)
    const pathTaken = await isPathTaken(tx, fullPath)
    const depth = parent ? (await depthOf(tx, parent.id)) + 1 : 0
    return onlyProblems({
      name: [...nameProblems(name), ...(nameTaken ? [taken] : [])],
      path: [...pathProblems(path, parent), ...(pathTaken ? [taken] : [])],
      description: descriptionProblems(description ?? ''),
      visibility_level: visibility ? visibilityProblems(visibility, parent, refused) : [],
      parent_id: depth > maximumDepth ? [tooDeep] : [],
    })
  }

  async function insert(
    tx: Tx,
    actor: Actor,
    params: NewGroupParams,
    parent: NamespaceRow | null,
    rules: InstanceSettings,
  ) {
    const refused = refusedLevels(actor, rules.restricted_visibility_levels)
    const changes = settingChangesOf(params, isAdministrator(actor))
    const found = { ...(await problemsOfNew(tx, params, parent, refused)), ...settingProblems(changes) }
    if (Object.keys(found).length > 0) throw failure(400, failedToSave(found))
    const moment = now(clock)
    const wanted = parent?.visibility ?? rules.default_group_visibility
    const row = await insertNamespace(tx, {
      kind: 'group',
      name: params.name,
      path: params.path,
      parent,
      ownerId: null,
      visibility: params.visibility ?? unrefused(wanted, refused),
      description: params.description ?? '',
      settings: changedSettings(initialSettings(rules), changes),
      now: moment,
    })
    if (actor.kind === 'user') {
      const member = { user_id: actor.userId, access_level: role.owner, created_at: moment }
      await insertMembers(tx, { kind: 'group', id: row.id, namespaceId: row.id }, [member])
    }
    return row
  }

  async function problemsOfChange(
    tx: Tx,
    row: NamespaceRow,
    parent: NamespaceRow | null,
    params: GroupParams,
    refused: NamespaceRow['visibility'][],
  ) {
    const { name = row.name, path = row.path, visibility = row.visibility } = params
    const renamed = name !== row.name
    const moved = path !== row.path
    const isElsewhere = path.toLowerCase() !== row.path.toLowerCase()
    const fullPath = parent ? `${parent.full_path}/${path}` : path
    const nameTaken = renamed && (await isNameTaken(tx, row.parent_id, name, row.id))
    const pathTaken = isElsewhere && (await isPathTaken(tx, fullPath))
    return onlyProblems({
      name: renamed ? [...nameProblems(name), ...(nameTaken ? [taken] : [])] : [],
      path: moved ? [...pathProblems(path, parent), ...(pathTaken ? [taken] : [])] : [],
      description: descriptionProblems(params.description ?? ''),
      visibility_level:
        visibility === row.visibility
          ? []
          : [...visibilityProblems(visibility, parent, refused), ...(await visibilityBelow(tx, row.id, visibility))],
    })
  }

  type Change = { actor: Actor; params: GroupParams; avatar: string | null | undefined; rules: InstanceSettings }

  async function change(tx: Tx, group: Group, { actor, params, avatar, rules }: Change) {
    const row = await holdTree(tx, group.id)
    if (!row || row.pending_delete) throw notFound('Group')
    if (row.marked_for_deletion_on !== null) throw forbidden()
    const parent = row.parent_id === null ? null : await namespaceById(tx, row.parent_id)
    const changes = settingChangesOf(params, isAdministrator(actor))
    const refused = refusedLevels(actor, rules.restricted_visibility_levels)
    const found = { ...(await problemsOfChange(tx, row, parent, params, refused)), ...settingProblems(changes) }
    if (Object.keys(found).length > 0) throw invalid(found)
    const moment = now(clock)
    const { name = row.name, path = row.path, visibility, description } = params
    if (name !== row.name || path !== row.path) await moveNamespace(tx, row, { name, path, parent }, moment)
    const rest = {
      visibility,
      description: description === null ? '' : description,
      avatar,
      settings: JSON.stringify(changedSettings(settingsOfGroup(row), changes)),
    }
    const given = Object.fromEntries(Object.entries(rest).filter(([, value]) => value !== undefined))
    return updateGroup(tx, row.id, given, moment)
  }

  return {
    /** @throws ApiError 403, 404 Group, 400 with what is wrong as one sentence */
    async create(actor: Actor, params: NewGroupParams) {
      const parent = await parentFor(actor, params.parent_id)
      const picture = params.avatar ? await readAvatar(params.avatar).catch(sayFailedToSave) : undefined
      const rules = await settings.current()
      let row = await database
        .write(async (tx) => insert(tx, actor, params, await held(tx, parent), rules))
        .catch((error) => {
          const found = takenField(error)
          throw found ? failure(400, failedToSave(found)) : error
        })
      if (picture) {
        await avatars.put('group', row.id, picture)
        row = await database.write((tx) => updateGroup(tx, row.id, { avatar: picture.name }, row.updated_at))
      }
      return presenting.detailOf(actor, row)
    },

    /** @throws ApiError 400 with what is wrong by field */
    async update(actor: Actor, group: Group, params: GroupParams) {
      const picture = params.avatar ? await readAvatar(params.avatar) : undefined
      if (picture) await avatars.put('group', group.id, picture)
      const avatar = params.avatar === '' ? null : picture?.name
      const rules = await settings.current()
      const row = await database
        .write((tx) => change(tx, group, { actor, params, avatar, rules }))
        .catch(async (error) => {
          if (picture) await avatars.removeOthers('group', group.id, group.avatar)
          const found = takenField(error)
          throw found ? invalid(found) : error
        })
      if (avatar !== undefined) await avatars.removeOthers('group', group.id, avatar)
      return presenting.detailOf(actor, row)
    },
  }
}

async function visibilityBelow(tx: Tx, id: number, visibility: NamespaceRow['visibility']): Promise<string[]> {
  const { subgroups, projects } = await hasMoreVisible(tx, id, visibility)
  const because = (what: string) => `${visibility} is not allowed since ${what} with higher visibility.`
  return [
    ...(projects ? [because('this group contains projects')] : []),
    ...(subgroups ? [because('there are sub-groups')] : []),
  ]
}

/** Creation tells of a refused picture as it tells of everything else. */
function sayFailedToSave(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'invalid') throw error
  throw failure(400, failedToSave(error.body.message as Problems))
}
