import { hasTier } from '../../../config.ts'
import type { Reader, Tx } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { storedSetting } from '../../../platform/settings/index.ts'
import { type Group, type GroupSettings, settingsOfGroup } from '../../groups/index.ts'
import { lineagesOf, namespaceById } from '../../namespaces/index.ts'
import type { ProjectRow } from '../../projects/index.ts'
import { groupsByIds } from '../approvals/store.ts'
import {
  type Above,
  type ApprovalSettings,
  noRestrictions,
  ofFreeTier,
  storedByGroup,
  storedByProject,
  viewOfKey,
  viewOfKeys,
} from './keys.ts'

/** The settings of the top-level group of a namespace; null where that is the namespace of a user. */
async function topLevelSettings(db: Reader, namespaceId: number): Promise<GroupSettings | null> {
  const [top] = (await lineagesOf(db, [namespaceId])).get(namespaceId) ?? []
  const row = top === undefined ? null : await namespaceById(db, top)
  return row?.kind === 'group' ? settingsOfGroup(row) : null
}

const hasLevels = ({ config }: Pick<Platform, 'config'>) => hasTier(config.edition, 'premium')

type Placed = Pick<ProjectRow, 'namespace_id' | 'settings'>

/** What is decided above a project. */
export async function aboveProject(platform: Platform, { namespace_id: id }: Placed): Promise<Above> {
  if (!hasLevels(platform)) return { instance: null, group: null }
  const [instance, group] = await Promise.all([
    platform.settings.current(),
    topLevelSettings(platform.database.read, id),
  ])
  return { instance, group }
}

/** What is decided above a group: by the instance, and for a subgroup by its top-level group. */
export async function aboveGroup(platform: Platform, group: Pick<Group, 'id' | 'parent_id'>): Promise<Above> {
  const [instance, top] = await Promise.all([
    platform.settings.current(),
    group.parent_id === null ? null : topLevelSettings(platform.database.read, group.id),
  ])
  return { instance, group: top }
}

/** The settings of a project as they hold under what is decided above. */
export function projectView(platform: Platform, above: Above, row: Placed): ApprovalSettings {
  const own = storedByProject(row)
  return viewOfKeys(above, hasLevels(platform) ? own : ofFreeTier(own))
}

/** The settings of a group as they hold; of a subgroup, which stores none, those of the levels above. */
export function groupView(above: Above, group: Pick<Group, 'parent_id' | 'settings'>): ApprovalSettings {
  return viewOfKeys(above, group.parent_id === null ? storedByGroup(settingsOfGroup(group)) : () => undefined)
}

/** The settings about approvals that hold in a project (contract 24, Approvals). */
export async function approvalSettingsOf(platform: Platform, project: Placed): Promise<ApprovalSettings> {
  return projectView(platform, await aboveProject(platform, project), project)
}

/** Which of these projects let merge requests have rules of their own, in a fixed number of queries. */
export async function projectsWithOverrides(platform: Platform, projects: readonly ProjectRow[]): Promise<Set<number>> {
  if (projects.length === 0) return new Set()
  const db = platform.database.read
  const [instance, lineages] = await Promise.all([
    platform.settings.current(),
    lineagesOf(
      db,
      projects.map(({ namespace_id }) => namespace_id),
    ),
  ])
  const topOf = ({ namespace_id: id }: ProjectRow) => lineages.get(id)?.[0] ?? id
  const groups = await groupsByIds(db, [...new Set(projects.map(topOf))])
  const allowing = projects.filter((project) => {
    const top = groups.get(topOf(project))
    const group = top ? settingsOfGroup(top) : null
    const view = projectView(platform, { instance, group }, project)
    return view.allow_overrides_to_approver_list_per_merge_request.value
  })
  return new Set(allowing.map(({ id }) => id))
}

const committers = 'prevent_merge_requests_committers_approval'

/** What a push to a source branch of a project does to approvals: all stay, all but that of the pusher, or none. */
export async function retainedAfterPush(
  platform: Platform,
  tx: Tx,
  project: Placed,
): Promise<'all' | 'others' | 'none'> {
  const isLevelled = hasLevels(platform)
  const group = isLevelled ? await topLevelSettings(tx, project.namespace_id) : null
  const own = storedByProject(project)
  if (!viewOfKey('retain_approvals_on_push', { instance: null, group }, own).value) return 'none'
  if (!isLevelled) return 'all'
  const instance = { ...noRestrictions, [committers]: await storedSetting(tx, committers) }
  return viewOfKey('allow_committer_approval', { instance, group }, own).value ? 'all' : 'others'
}
