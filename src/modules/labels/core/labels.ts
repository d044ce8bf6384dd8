import { type Actor, conflict, dayOf, invalid, type PageRequest, taken, type Unmodified } from '../../../api/index.ts'
import { claim, isUniqueViolation, now, type Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { callerOf, type ProjectOrGroup } from '../../projects/index.ts'
import type { LabelRow } from '../tables.ts'
import { deletePriority, setPriority, usableLabels } from '../usable/store.ts'
import { type LabelKey, requireOwnLabel, requireUsableLabel } from './find.ts'
import type { LabelChanges, LabelFilter, LabelLookup, NewLabel } from './params.ts'
import { labelObject, parentColumns } from './present.ts'
import * as store from './store.ts'
import { validated } from './validation.ts'

/** A page of the labels of a project or group (contract 17, x.label_list, x.group_label_list). */
export async function listLabels(
  platform: Platform,
  parent: ProjectOrGroup,
  actor: Actor,
  filter: LabelFilter,
  page: PageRequest,
) {
  const { database, clock } = platform
  const db = database.read
  const looksBelow = filter.include_descendant_groups || filter.only_group_labels === false
  const caller = parent.kind === 'group' && looksBelow ? await callerOf(db, actor, dayOf(clock.now())) : null
  const found = await store.pageOfLabels(db, parent, filter, caller, page)
  const view = { platform, db, parent, actor, withCounts: filter.with_counts }
  return { ...found, items: await labelObject(parent).presentAll(found.items, view) }
}

/** One label (contract 17, x.label_get). @throws ApiError 404 */
export async function getLabel(
  platform: Platform,
  parent: ProjectOrGroup,
  actor: Actor,
  key: string,
  { include_ancestor_groups: inherited = true }: LabelLookup,
) {
  const db = platform.database.read
  const row = await (inherited ? requireUsableLabel : requireOwnLabel)(db, parent, key)
  return labelObject(parent).presentOne(row, { platform, db, parent, actor })
}

const exists = () => conflict('Label already exists')

/** Creates a label (contract 17, x.label_create). @throws ApiError 400, 409 */
export async function createLabel(platform: Platform, parent: ProjectOrGroup, actor: Actor, given: NewLabel) {
  const { name, color, description = null, priority = null } = given
  const { title = name, color: digits = color } = validated({ new_name: name, color, description, priority })
  const { database, clock } = platform
  const moment = now(clock)
  const times = { created_at: moment, updated_at: moment }
  return database
    .write(async (tx) => {
      if ((await usableLabels(tx, parent, [title])).size > 0) throw exists()
      const row = await store.insertLabel(tx, { ...parentColumns(parent), title, color: digits, description, ...times })
      if (priority !== null) await setPriority(tx, parent.id, row.id, priority)
      return labelObject(parent).presentOne(row, { platform, db: tx, parent, actor })
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? exists() : error
    })
}

const titleTaken = () => invalid({ title: [taken] })

/** @throws ApiError 400 when the project, the group or a group above has another label with the title */
async function requireFreeTitle(tx: Tx, parent: ProjectOrGroup, row: LabelRow, title: string): Promise<void> {
  const found = (await usableLabels(tx, parent, [title])).get(title)
  if (found && found.id !== row.id) throw titleTaken()
}

/** Changes that are not made in the label itself, so they can be made to inherited labels, too. */
const isPriorityOnly = ({ new_name, color, description }: LabelChanges) =>
  new_name === undefined && color === undefined && description === undefined

/** Changes a label (contract 17, x.label_update). @throws ApiError 400, 404 */
export async function updateLabel(
  platform: Platform,
  parent: ProjectOrGroup,
  actor: Actor,
  key: LabelKey,
  given: LabelChanges,
) {
  const { database, clock } = platform
  const changes = validated(given)
  const find = isPriorityOnly(given) ? requireUsableLabel : requireOwnLabel
  return database
    .write(async (tx) => {
      let row = await find(tx, parent, key)
      if (changes.title !== undefined) await requireFreeTitle(tx, parent, row, changes.title)
      if (!isPriorityOnly(given)) {
        row = (await store.updateLabel(tx, row.id, { ...changes, updated_at: now(clock) })) ?? row
      }
      if (given.priority === null) await deletePriority(tx, parent.id, row.id)
      if (typeof given.priority === 'number') await setPriority(tx, parent.id, row.id, given.priority)
      return labelObject(parent).presentOne(row, { platform, db: tx, parent, actor })
    })
    .catch((error) => {
      throw isUniqueViolation(error) ? titleTaken() : error
    })
}

/** Deletes a label of the project or group itself (contract 17, x.label_delete). @throws ApiError 404; 412 by `unmodified` */
export async function deleteLabel(
  platform: Platform,
  parent: ProjectOrGroup,
  key: LabelKey,
  unmodified: Unmodified,
): Promise<void> {
  await platform.database.write(async (tx) => {
    const row = await claim(tx, 'labels', () => requireOwnLabel(tx, parent, key))
    unmodified(row.updated_at)
    await store.deleteLabels(tx, [row.id])
  })
}
