import {
  type Actor,
  ApiError,
  dayOf,
  failure,
  forbidden,
  isAdministrator,
  onlyProblems,
  type Problems,
} from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { type Act, type Platform, react } from '../../../platform/index.ts'
import { type InstanceSettings, settingProblems } from '../../../platform/settings/index.ts'
import {
  insertNamespace,
  type NamespaceRow,
  refusedLevels,
  unrefused,
  updateNamespace,
} from '../../namespaces/index.ts'
import { putAvatar, readAvatar } from '../../users/index.ts'
import { type Group, heldForChange, mayCreateSubgroup, mayCreateTopLevel, visibleGroup } from '../access.ts'
import { initialSettings } from '../settings/initial.ts'
import { changedSettings, groupSettings } from '../settings/settings.ts'
import { settingChangesOf } from './changes.ts'
import { groupDetailOf } from './detail.ts'
import type { NewGroup } from './params.ts'
import type { PresentedGroupDetail } from './present.ts'
import { depthOf } from './store.ts'
import { attributeProblems, failedToSave, maximumDepth, takenField } from './validation.ts'

/** The parent of a new group; null at the top level. @throws ApiError 404 Group, 403 */
export async function parentFor(
  { database, clock }: Platform,
  actor: Actor,
  id: number | undefined,
): Promise<Group | null> {
  if (id === undefined) {
    if (await mayCreateTopLevel(database.read, actor)) return null
    throw forbidden()
  }
  const parent = await visibleGroup(database.read, id, actor, dayOf(clock.now()))
  if (!mayCreateSubgroup(actor, parent)) throw forbidden()
  return parent
}

/**
 * Inserts a group in the caller's transaction, under the lock of its parent.
 * @param within the parent, the settings of the instance, and whether it is filled by an import
 * @throws ApiError 400 with all problems in one sentence; UniqueViolation when a concurrent request took name or path
 */
export async function insertGroup(
  platform: Platform,
  tx: Tx,
  actor: Actor,
  params: NewGroup,
  within: { parent: NamespaceRow | null; instance: InstanceSettings; isImported?: boolean },
): Promise<NamespaceRow> {
  const { parent, instance, isImported = false } = within
  const refused = refusedLevels(actor, instance.restricted_visibility_levels)
  const changes = settingChangesOf(params, isAdministrator(actor))
  const isTooDeep = parent !== null && (await depthOf(tx, parent.id)) >= maximumDepth
  const found = onlyProblems({
    ...(await attributeProblems(tx, params, { parent, refused })),
    parent_id: isTooDeep ? ['has too deep level of nesting'] : [],
    ...settingProblems(groupSettings, changes),
  })
  if (Object.keys(found).length > 0) throw failure(400, failedToSave(found))
  const wanted = parent?.visibility ?? instance.default_group_visibility
  const row = await insertNamespace(tx, {
    kind: 'group',
    name: params.name,
    path: params.path,
    parent,
    ownerId: null,
    visibility: params.visibility ?? unrefused(wanted, refused),
    description: params.description ?? '',
    settings: changedSettings(initialSettings(instance, parent), changes),
    now: now(platform.clock),
  })
  const userId = actor.kind === 'user' ? actor.userId : null
  await react(platform, tx, 'group.created', { groupId: row.id, userId, isImported })
  return row
}

/** @throws ApiError 400 with all problems in one sentence */
async function insertBelow(
  platform: Platform,
  actor: Actor,
  params: NewGroup,
  parent: Group | null,
  { after, isImported }: { after: (tx: Tx, row: NamespaceRow) => Promise<void>; isImported?: boolean },
): Promise<NamespaceRow> {
  const instance = await platform.settings.current()
  const write = async (tx: Tx) => {
    const held = parent && (await heldForChange(tx, parent.id))
    const row = await insertGroup(platform, tx, actor, params, { parent: held, instance, isImported })
    await after(tx, row)
    return row
  }
  return platform.database.write(write).catch((error) => {
    const found = takenField(error)
    throw found ? failure(400, failedToSave(found)) : error
  })
}

/**
 * Creates the private group into which an archive is imported (contract 25, x.group_import).
 * @param record writes the record of the import, in the same transaction
 * @throws ApiError 403, 404 Group, 400 with all problems in one sentence
 */
export async function createImportedGroup(
  platform: Platform,
  actor: Actor,
  params: Pick<NewGroup, 'name' | 'path' | 'parent_id'>,
  record: (tx: Tx, row: NamespaceRow) => Promise<void>,
): Promise<NamespaceRow> {
  const parent = await parentFor(platform, actor, params.parent_id)
  return insertBelow(platform, actor, { ...params, visibility: 'private' }, parent, { after: record, isImported: true })
}

/**
 * Creates a group (contract 21, x.groups_create).
 * @throws ApiError 403, 404 Group, 400 with all problems in one sentence
 */
export async function createGroup(
  platform: Platform,
  { actor, act }: { actor: Actor; act: Act },
  params: NewGroup,
): Promise<PresentedGroupDetail> {
  const { database } = platform
  const parent = await parentFor(platform, actor, params.parent_id)
  const avatar = params.avatar ? await readAvatar(params.avatar).catch(failToSave) : undefined
  let row = await insertBelow(platform, actor, params, parent, {
    after: (tx, { id }) => act(tx, null, { target: { kind: 'group', id } }),
  })
  if (avatar) {
    await putAvatar(platform, 'group', row.id, avatar)
    row = await database.write((tx) => updateNamespace(tx, row.id, { avatar: avatar.name }, row.updated_at))
  }
  return groupDetailOf(platform, actor, row)
}

/** Gives the error of a refused avatar the form that creation uses. */
function failToSave(error: unknown): never {
  if (!(error instanceof ApiError) || error.code !== 'invalid') throw error
  throw failure(400, failedToSave(error.body.message as Problems))
}
