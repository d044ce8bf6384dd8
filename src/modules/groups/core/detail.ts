import { type Actor, dayOf, isAdministrator } from '../../../api/index.ts'
import type { Reader } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import { attributesOfAll } from '../../custom-attributes/index.ts'
import { type NamespaceRow, totalsOf } from '../../namespaces/index.ts'
import { type Group, withLevel } from '../access.ts'
import { viewerOf } from '../lists/viewer.ts'
import { invitedTo } from '../sharing/store.ts'
import { type PresentedGroup, presentDetail, presentGroup } from './present.ts'

/** Optional members that a caller requests. */
export type Extras = { statistics?: boolean; with_custom_attributes?: boolean; with_projects?: boolean }

/** The custom attributes of groups, for administrators who ask for them. */
async function shownAttributes(db: Reader, ids: readonly number[], extras: Extras, administrator: boolean) {
  return extras.with_custom_attributes === true && administrator ? attributesOfAll(db, 'group', ids) : undefined
}

/** Presents a page of groups. */
export async function presentGroups(
  { database, externalUrl }: Platform,
  actor: Actor,
  rows: readonly NamespaceRow[],
  extras: Extras,
): Promise<PresentedGroup[]> {
  const administrator = isAdministrator(actor)
  const counts = extras.statistics === true && administrator
  const ids = rows.map(({ id }) => id)
  const totals = counts ? await totalsOf(database.read, ids) : undefined
  const attributes = await shownAttributes(database.read, ids, extras, administrator)
  return rows.map((row) =>
    presentGroup(row, {
      externalUrl,
      administrator,
      customAttributes: attributes && (attributes.get(row.id) ?? []),
      own: totals?.get(row.id)?.own,
      below: row.parent_id === null ? totals?.get(row.id)?.below : undefined,
    }),
  )
}

/** Presents one group with its projects and invited groups (contract 21, GroupDetail). */
export async function presentGroupDetail(platform: Platform, actor: Actor, group: Group, extras: Extras = {}) {
  const { database, clock, externalUrl, ports } = platform
  const viewer = await viewerOf(platform, actor)
  const administrator = isAdministrator(actor)
  const invited = await invitedTo(database.read, group.id, viewer, dayOf(clock.now()))
  const shown = extras.with_projects === false ? {} : await ports['groups.projects'](platform, group, actor)
  const attributes = await shownAttributes(database.read, [group.id], extras, administrator)
  const customAttributes = attributes && (attributes.get(group.id) ?? [])
  const owns = administrator || group.level >= role.owner
  return presentDetail(group, { externalUrl, administrator, customAttributes }, { owns, invited, ...shown })
}

/** As `presentGroupDetail`, for a row that was just written. */
export async function groupDetailOf(platform: Platform, actor: Actor, row: NamespaceRow) {
  const { database, clock } = platform
  return presentGroupDetail(platform, actor, await withLevel(database.read, row, actor, dayOf(clock.now())))
}
