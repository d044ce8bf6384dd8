import { reading, writing } from '../../../api/index.ts'
import { operation } from '../../../platform/index.ts'
import { project, twinsOf } from '../../projects/index.ts'
import { type ApprovalKey, approvalKeys } from './keys.ts'
import { configChanges, keyChanges } from './params.ts'
import { ApprovalConfig, ApprovalSetting } from './present.ts'
import * as settings from './settings.ts'

const shared = { tier: 'premium', tag: 'Merge request approvals' } as const

export const approvalConfigGet = operation({
  ...{ ...shared, subject: project, allow: 'read_approval_rules', scopes: reading },
  id: 'project_approvals.get',
  contract: 'x.project_approvals_get',
  method: 'GET',
  path: '/projects/:id/approvals',
  summary: 'Get the configuration of approvals of a project',
  result: [200, ApprovalConfig],
  run: ({ platform, subject }) => settings.getConfig(platform, subject),
})

export const approvalConfigUpdate = operation({
  ...{ ...shared, subject: project, allow: 'admin_approval_rules', scopes: writing },
  id: 'project_approvals.update',
  contract: 'x.project_approvals_update',
  method: 'POST',
  path: '/projects/:id/approvals',
  summary: 'Change the configuration of approvals of a project',
  description: 'Values that the instance or the top-level group has locked are ignored.',
  params: configChanges,
  atLeastOne: Object.keys(configChanges) as (keyof typeof configChanges)[],
  result: [201, ApprovalConfig],
  run: ({ platform, subject, params, act }) => settings.updateConfig(platform, subject, act, params),
})

const twins = twinsOf(({ kind, path, subject }) => ({
  get: operation({
    ...{ ...shared, subject, allow: 'read_approval_settings', scopes: reading },
    id: `${kind}_approval_setting.get`,
    contract: `x.${kind}_approval_setting_get`,
    method: 'GET',
    path: `${path}/merge_request_approval_setting`,
    summary: `Get the settings about approvals of a ${kind}`,
    description: 'Each key with the value that holds, and the level above that has locked it.',
    result: [200, ApprovalSetting],
    run: ({ platform, subject }) => settings.getSettings(platform, subject),
  }),
  update: operation({
    ...{ ...shared, subject, allow: 'admin_approval_rules', scopes: writing },
    id: `${kind}_approval_setting.update`,
    contract: `x.${kind}_approval_setting_update`,
    method: 'PUT',
    path: `${path}/merge_request_approval_setting`,
    summary: `Change the settings about approvals of a ${kind}`,
    description:
      kind === 'project'
        ? 'Values that the instance or the top-level group has locked are ignored.'
        : 'Of a top-level group. A restriction locks the key in all projects below.',
    params: keyChanges,
    atLeastOne: Object.keys(approvalKeys) as ApprovalKey[],
    result: [200, ApprovalSetting],
    run: ({ platform, subject, params, act }) => settings.updateSettings(platform, subject, act, params),
  }),
}))

export const { get: projectApprovalSettingGet, update: projectApprovalSettingUpdate } = twins.project
export const { get: groupApprovalSettingGet, update: groupApprovalSettingUpdate } = twins.group
