import { nullable, oneOf, Type } from '../../../api/index.ts'
import { type ApprovalKey, approvalKeys } from './keys.ts'

const flag = Type.Boolean()
/** A deprecated list, which is always empty. */
const none = Type.Array(Type.String(), { maxItems: 0 })

/** What holds for one key, and who has locked it. */
const View = Type.Object(
  { value: flag, locked: flag, inherited_from: nullable(oneOf(['instance', 'group'])) },
  { title: 'ApprovalSettingValue' },
)

/** The settings about approvals of a project or group (contract 24, ApprovalSetting). */
export const ApprovalSetting = Type.Object(
  Object.fromEntries(Object.keys(approvalKeys).map((name) => [name, View])) as Record<ApprovalKey, typeof View>,
  { title: 'ApprovalSetting' },
)

/** The configuration of approvals of a project (contract 24, ApprovalConfig). */
export const ApprovalConfig = Type.Object(
  {
    approvers: none,
    approver_groups: none,
    approvals_before_merge: Type.Integer(),
    reset_approvals_on_push: flag,
    selective_code_owner_removals: flag,
    disable_overriding_approvers_per_merge_request: nullable(Type.Boolean()),
    merge_requests_author_approval: flag,
    merge_requests_disable_committers_approval: flag,
    require_password_to_approve: flag,
    require_reauthentication_to_approve: flag,
  },
  { title: 'ApprovalConfig' },
)
