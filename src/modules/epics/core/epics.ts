import {
  type Actor,
  forbidden,
  isAdministrator,
  recordNotFound,
  refuse,
  textProblems,
  type Unmodified,
} from '../../../api/index.ts'
import { claim, now, type Tx } from '../../../infra/database/index.ts'
import type { Events, Platform, Reaction } from '../../../platform/index.ts'
import { nextInternalId } from '../../../platform/internal-ids/index.ts'
import { role } from '../../access/index.ts'
import type { Group } from '../../groups/index.ts'
import { type ChangeOrigin, deleteIssuable, recordStateChange, setLabels } from '../../issuables/index.ts'
import { ensureLabels, parseColor } from '../../labels/index.ts'
import { subscribeParticipant } from '../../notes/index.ts'
import { ghostUserId } from '../../users/index.ts'
import type { EpicRowChanges } from '../tables.ts'
import type { Epic } from './access.ts'
import { requireNoPublicIssues } from './confidentiality.ts'
import { requireParent } from './hierarchy.ts'
import { noteableOf, presentEpic, refOf } from './load.ts'
import type { EpicChanges, NewEpic } from './params.ts'
import type { PresentedEpic } from './present.ts'
import {
  changeAuthor,
  childOrder,
  deleteEpic,
  epicByIid,
  epicsByIds,
  epicsOfAuthor,
  insertEpic,
  updateEpic,
} from './store.ts'

const defaultColor = '#1068bf'
const longestTitle = 255

/** @throws ApiError 400 for a blank or long title and a colour that is none */
function validated({ title, color }: { title?: string; color?: string }): { color?: string } {
  const parsed = color === undefined ? undefined : parseColor(color)
  refuse({
    title: title === undefined ? [] : textProblems(title, longestTitle),
    color: parsed === null ? ['must be a valid color code'] : [],
  })
  return parsed ? { color: parsed } : {}
}

type DateParams = Pick<
  NewEpic,
  'start_date' | 'start_date_fixed' | 'start_date_is_fixed' | 'end_date' | 'due_date_fixed' | 'due_date_is_fixed'
>

/** The dates that are given. The deprecated `start_date` and `end_date` fix them. */
function datesIn({ start_date, end_date, ...dates }: DateParams) {
  const fixed = {
    ...(start_date === undefined ? {} : { start_date_fixed: start_date, start_date_is_fixed: true }),
    ...(end_date === undefined ? {} : { due_date_fixed: end_date, due_date_is_fixed: true }),
  }
  const given = {
    start_date_fixed: dates.start_date_fixed,
    start_date_is_fixed: dates.start_date_is_fixed,
    due_date_fixed: dates.due_date_fixed,
    due_date_is_fixed: dates.due_date_is_fixed,
  }
  return { ...fixed, ...Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) }
}

const ownsGroup = (actor: Actor, { level }: Group) => isAdministrator(actor) || level >= role.owner

/** The labels of a group with these titles; missing ones are created in it. */
async function labelsNamed(platform: Platform, tx: Tx, { id }: Group, titles: readonly string[]) {
  const found = await ensureLabels(platform, tx, { kind: 'group', id, namespaceId: id }, titles)
  return [...found.values()].map((label) => ({ id: label.id, title: label.title }))
}

const writerOf = (actor: Actor): number => {
  if (actor.kind !== 'user') throw forbidden()
  return actor.userId
}

async function shown(platform: Platform, group: Group, id: number, actor: Actor): Promise<PresentedEpic> {
  const row = (await epicsByIds(platform.database.read, [id])).get(id)
  return presentEpic(platform, { ...(row as Epic), group }, actor)
}

/** Requires that a new epic may be put below another one. */
type PlaceRule = (tx: Tx, parentId: number) => Promise<void>

/**
 * Creates an epic; its author is subscribed to it (contract 17, x.epic_create).
 * @param requirePlace where the rules for the parent are others
 * @throws ApiError 400
 */
export async function createEpic(
  platform: Platform,
  group: Group,
  actor: Actor,
  { labels = [], ...given }: NewEpic,
  requirePlace: PlaceRule = (tx, parentId) => requireParent(platform, tx, group, actor, null, parentId),
): Promise<PresentedEpic> {
  const { color = defaultColor } = validated(given)
  const userId = writerOf(actor)
  const at = (ownsGroup(actor, group) ? given.created_at : undefined) ?? now(platform.clock)
  const id = await platform.database.write(async (tx) => {
    const parentId = given.parent_id ?? null
    if (parentId !== null) await requirePlace(tx, parentId)
    const relative_position = parentId === null ? 0 : await childOrder.last(tx, parentId)
    const iid = await nextInternalId(tx, { namespaceId: group.id }, 'epics')
    const created = await insertEpic(tx, {
      ...{
        group_id: group.id,
        iid,
        parent_id: parentId,
        author_id: userId,
        color,
        title: given.title,
        relative_position,
      },
      ...{ description: given.description ?? null, confidential: given.confidential ?? false },
      ...{ start_date_fixed: null, start_date_is_fixed: false, due_date_fixed: null, due_date_is_fixed: false },
      ...datesIn(given),
      ...{ created_at: at, updated_at: at, closed_at: null, closed_by_id: null },
    })
    const row = { id: created, group_id: group.id, iid }
    await setLabels(tx, refOf(row), { replace: await labelsNamed(platform, tx, group, labels) }, { userId, at })
    await subscribeParticipant(tx, noteableOf(row), userId, at)
    return created
  })
  return shown(platform, group, id, actor)
}

/** The columns of a state event; none when the epic is in that state already. */
function stateChange({ state }: Epic, event: EpicChanges['state_event'], { userId, at }: ChangeOrigin) {
  if (event === 'close' && state === 'opened') return { state: 'closed', closed_at: at, closed_by_id: userId } as const
  if (event === 'reopen' && state === 'closed') return { state: 'opened', closed_at: null, closed_by_id: null } as const
  return null
}

/** The labels that a change sets, adds and removes. */
async function changeLabels(platform: Platform, tx: Tx, epic: Epic, changes: EpicChanges, origin: ChangeOrigin) {
  const { labels, add_labels, remove_labels } = changes
  if (!labels && !add_labels && !remove_labels) return false
  const named = async (titles?: readonly string[]) =>
    titles ? labelsNamed(platform, tx, epic.group, titles) : undefined
  const wish = { replace: await named(labels), add: await named(add_labels), remove: await named(remove_labels) }
  const { added, removed } = await setLabels(tx, refOf(epic), wish, origin)
  return added.length + removed.length > 0
}

/** The given attributes that differ from those of the epic. */
function changedColumns(epic: Epic, given: EpicRowChanges): EpicRowChanges {
  const entries = Object.entries(given) as [keyof EpicRowChanges & keyof Epic, never][]
  return Object.fromEntries(entries.filter(([name, value]) => value !== undefined && epic[name] !== value))
}

/** Changes, closes or reopens an epic (contract 17, x.epic_update). @throws ApiError 400 */
export async function updateEpicOf(
  platform: Platform,
  epic: Epic,
  actor: Actor,
  changes: EpicChanges,
): Promise<PresentedEpic> {
  const { group } = epic
  const color = validated(changes)
  const backdated = ownsGroup(actor, group) ? changes.updated_at : undefined
  const origin = { userId: writerOf(actor), at: backdated ?? now(platform.clock) }
  const { title, description, confidential, parent_id } = changes
  const attributes = { title, description, confidential, parent_id, ...color, ...datesIn(changes) }
  await platform.database.write(async (tx) => {
    if (parent_id) await requireParent(platform, tx, group, actor, epic.id, parent_id)
    if (confidential && !epic.confidential) await requireNoPublicIssues(tx, epic.id)
    const hasOtherLabels = await changeLabels(platform, tx, epic, changes, origin)
    const state = stateChange(epic, changes.state_event, origin)
    const changed = changedColumns(epic, attributes)
    const place = changed.parent_id ? { relative_position: await childOrder.last(tx, changed.parent_id) } : {}
    const columns = { ...changed, ...place, ...state }
    const hasChanged = hasOtherLabels || Object.keys(columns).length > 0 || backdated !== undefined
    if (hasChanged) await updateEpic(tx, epic.id, { ...columns, updated_at: origin.at })
    if (!state) return
    const recorded = state.state === 'closed' ? 'closed' : 'reopened'
    await recordStateChange(tx, [refOf(epic)], { state: recorded }, origin)
  })
  return shown(platform, group, epic.id, actor)
}

/**
 * Deletes an epic. Its issues have none then, and its child epics no parent (contract 17, x.epic_delete).
 * @throws ApiError 403 for roles other than Planner and Owner, 412
 */
export async function removeEpic(
  { database }: Platform,
  epic: Epic,
  actor: Actor,
  unmodified: Unmodified,
): Promise<void> {
  if (!ownsGroup(actor, epic.group) && epic.group.level !== role.planner) throw forbidden()
  await database.write(async (tx) => {
    const row = await claim(tx, 'epics', () => epicByIid(tx, epic.group.id, epic.iid))
    if (!row) throw recordNotFound()
    unmodified(row.updated_at)
    await deleteIssuable(tx, { ...refOf(epic), iid: epic.iid })
    await deleteEpic(tx, epic.id)
  })
}

/** Gives the epics of a removed user to the ghost, or deletes them with the user (contract 16, "Rules"). */
export const moveEpics: Reaction<Events['user.removed']> = async (platform, tx, { userId, hard }) => {
  if (!hard) return changeAuthor(tx, userId, await ghostUserId(platform, tx))
  for (const row of await epicsOfAuthor(tx, userId)) {
    await deleteIssuable(tx, { ...refOf(row), iid: row.iid })
    await deleteEpic(tx, row.id)
  }
}
