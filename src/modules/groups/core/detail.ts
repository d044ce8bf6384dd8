import { type Actor, dayOf, isAdministrator } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { role } from '../../access/index.ts'
import type { NamespaceRow } from '../../namespaces/index.ts'
import { type Group as OwnGroup, withLevel } from '../access.ts'
import { viewerOf } from '../lists/viewer.ts'
import { invitedTo } from '../sharing/store.ts'
import { Group, GroupDetail, type GroupView, type PresentedGroup, withSettings } from './present.ts'

/** Optional members that a caller requests. */
export type Extras = { statistics?: boolean; with_custom_attributes?: boolean; with_projects?: boolean }

function viewOf({ database, externalUrl }: Platform, actor: Actor, extras: Extras): GroupView {
  const administers = isAdministrator(actor)
  return {
    externalUrl,
    db: database.read,
    isAdministrator: administers,
    withStatistics: extras.statistics === true && administers,
    withAttributes: extras.with_custom_attributes === true && administers,
  }
}

/** Presents a page of groups. */
export async function presentGroups(
  platform: Platform,
  actor: Actor,
  rows: readonly NamespaceRow[],
  extras: Extras,
): Promise<PresentedGroup[]> {
  return Group.presentAll(rows.map(withSettings), viewOf(platform, actor, extras))
}

/** Presents one group with its projects and invited groups (contract 21, GroupDetail). */
export async function presentGroupDetail(platform: Platform, actor: Actor, group: OwnGroup, extras: Extras = {}) {
  const { database, clock, ports } = platform
  const viewer = await viewerOf(platform, actor)
  const invited = await invitedTo(database.read, group.id, viewer, dayOf(clock.now()))
  const shown = extras.with_projects === false ? {} : await ports['groups.projects'](platform, group, actor)
  const owns = isAdministrator(actor) || group.level >= role.owner
  const view = { ...viewOf(platform, actor, { ...extras, statistics: false }), owns, invited, ...shown }
  return GroupDetail.presentOne(withSettings(group), view)
}

/** As `presentGroupDetail`, for a row that was just written. */
export async function groupDetailOf(platform: Platform, actor: Actor, row: NamespaceRow) {
  const { database, clock } = platform
  return presentGroupDetail(platform, actor, await withLevel(database.read, row, actor, dayOf(clock.now())))
}
