import { computed, forms, nullable, object, of, type Static, Type } from '../../../api/index.ts'
import { UserBasic } from '../../users/index.ts'
import type { DeploymentApprovalRow } from '../tables.ts'
import type { RuleProgress } from './progress.ts'

/** Users as they are shown, by id. */
type ApprovalView = { people: ReadonlyMap<number, Static<typeof UserBasic>> }

/** What a user has said about a deployment (contract 24, DeploymentApproval). */
export const DeploymentApproval = object('DeploymentApproval', of<DeploymentApprovalRow, ApprovalView>(), {
  user: computed(nullable(UserBasic), ({ user_id }, { people }) => people.get(user_id) ?? null),
  status: Type.String(),
  created_at: forms.timestamp,
  comment: forms.nullableString,
})

const rules = of<RuleProgress, ApprovalView>()

/** A rule of approvals, with what those have said whom it asks (contract 24, DeploymentDetail). */
const RuleSummary = object(null, rules, {
  user_id: computed(forms.nullableInteger, ({ rule }) => rule.user_id),
  group_id: computed(forms.nullableInteger, ({ rule }) => rule.group_id),
  access_level: computed(forms.nullableInteger, ({ rule }) => rule.access_level),
  access_level_description: computed(Type.String(), ({ description }) => description),
  required_approvals: computed(Type.Integer(), ({ rule }) => rule.required_approvals),
  deployment_approvals: computed(Type.Array(DeploymentApproval), ({ given }, view) =>
    given.map((approval) => DeploymentApproval.present(approval, view)),
  ),
})

export const ApprovalSummary = object(null, of<{ rules: readonly RuleProgress[] }, ApprovalView>(), {
  rules: computed(Type.Array(RuleSummary), ({ rules: all }, view) => all.map((one) => RuleSummary.present(one, view))),
})
