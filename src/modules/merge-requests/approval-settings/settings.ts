import { forbidden, invalid, notFound } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Act, Platform } from '../../../platform/index.ts'
import { changeGroupSettings, type Group } from '../../groups/index.ts'
import { changeSettings, type Project, type ProjectOrGroup, type ProjectRow, settingsOf } from '../../projects/index.ts'
import { aboveGroup, aboveProject, approvalSettingsOf, groupView, projectView } from './effective.ts'
import { type ApprovalSettings, changesOfGroup, changesOfProject } from './keys.ts'
import type { ConfigChanges, KeyChanges } from './params.ts'

const exclusive = 'selective_code_owner_removals can only be enabled when reset_approvals_on_push is disabled'

/** @throws ApiError 400 when a change leaves approvals to be removed both selectively and all */
function refuseBoth(
  given: KeyChanges,
  { retain_approvals_on_push: retain, selective_code_owner_removals: selective }: ApprovalSettings,
) {
  const isAsked = given.retain_approvals_on_push !== undefined || given.selective_code_owner_removals !== undefined
  if (isAsked && selective.value && !retain.value) throw invalid({ base: [exclusive] })
}

type ProjectChanges = Parameters<typeof changeSettings>[2]

/** Changes keys of a project, and other settings of it. Keys that are locked above are ignored (contract 24, x.project_approvals_update). */
async function changeProject(
  platform: Platform,
  project: Project,
  act: Act,
  { keys, others = {} }: { keys: KeyChanges; others?: ProjectChanges },
): Promise<ProjectRow> {
  const above = await aboveProject(platform, project)
  const changes = { ...others, ...changesOfProject(keys, projectView(platform, above, project)) }
  return platform.database.write(async (tx) => {
    const row = await changeSettings(tx, project.id, changes, now(platform.clock))
    if (!row) throw notFound('Project')
    refuseBoth(keys, projectView(platform, above, row))
    await act(tx)
    return row
  })
}

async function changeGroup(platform: Platform, group: Group, act: Act, keys: KeyChanges) {
  if (group.parent_id !== null) throw forbidden()
  const above = await aboveGroup(platform, group)
  const changes = changesOfGroup(keys, groupView(above, group))
  return platform.database.write(async (tx) => {
    const row = await changeGroupSettings(tx, group.id, changes, now(platform.clock))
    // A transfer of this moment makes it a subgroup.
    if (row.parent_id !== null) throw forbidden()
    const view = groupView(above, row)
    refuseBoth(keys, view)
    await act(tx)
    return view
  })
}

/** The settings about approvals of a project or group (contract 24, x.project_approval_setting_get, x.group_approval_setting_get). */
export async function getSettings(platform: Platform, { project, group }: ProjectOrGroup): Promise<ApprovalSettings> {
  return project ? approvalSettingsOf(platform, project) : groupView(await aboveGroup(platform, group), group)
}

/**
 * Changes settings about approvals (contract 24, x.project_approval_setting_update, x.group_approval_setting_update).
 * @throws ApiError 400; 403 for a subgroup
 */
export async function updateSettings(
  platform: Platform,
  { project, group }: ProjectOrGroup,
  act: Act,
  keys: KeyChanges,
): Promise<ApprovalSettings> {
  if (group) return changeGroup(platform, group, act, keys)
  return approvalSettingsOf(platform, await changeProject(platform, project, act, { keys }))
}

/** The configuration of approvals (contract 24, x.project_approvals_get). */
export async function getConfig(platform: Platform, project: ProjectRow) {
  const view = await approvalSettingsOf(platform, project)
  const { approvals_before_merge, disable_overriding_approvers_per_merge_request: stored } = settingsOf(project)
  const overrides = view.allow_overrides_to_approver_list_per_merge_request
  const needsPassword = view.require_reauthentication_to_approve.value
  return {
    ...{ approvers: [], approver_groups: [], approvals_before_merge },
    reset_approvals_on_push: !view.retain_approvals_on_push.value,
    selective_code_owner_removals: view.selective_code_owner_removals.value,
    disable_overriding_approvers_per_merge_request: overrides.locked ? !overrides.value : stored,
    merge_requests_author_approval: view.allow_author_approval.value,
    merge_requests_disable_committers_approval: !view.allow_committer_approval.value,
    require_password_to_approve: needsPassword,
    require_reauthentication_to_approve: needsPassword,
  }
}

const negated = (value: boolean | undefined) => (value === undefined ? undefined : !value)

/** Changes of the configuration as changes of keys; null is the default, which is off. */
function keysOf(given: ConfigChanges): KeyChanges {
  const present = Object.entries(given).filter(([, value]) => value !== undefined)
  const named = Object.fromEntries(present.map(([name, value]) => [name, value ?? false])) as {
    readonly [N in keyof ConfigChanges]: boolean
  }
  return {
    allow_author_approval: named.merge_requests_author_approval,
    allow_committer_approval: negated(named.merge_requests_disable_committers_approval),
    allow_overrides_to_approver_list_per_merge_request: negated(named.disable_overriding_approvers_per_merge_request),
    retain_approvals_on_push: negated(named.reset_approvals_on_push),
    selective_code_owner_removals: named.selective_code_owner_removals,
    require_password_to_approve: named.require_password_to_approve,
    require_reauthentication_to_approve: named.require_reauthentication_to_approve,
  }
}

/** Changes the configuration of approvals (contract 24, x.project_approvals_update). @throws ApiError 400 */
export async function updateConfig(platform: Platform, project: Project, act: Act, given: ConfigChanges) {
  const { approvals_before_merge } = given
  const others = { ...(approvals_before_merge !== undefined && { approvals_before_merge }) }
  return getConfig(platform, await changeProject(platform, project, act, { keys: keysOf(given), others }))
}
