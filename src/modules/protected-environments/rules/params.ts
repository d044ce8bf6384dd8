import { type ParamValues, t } from '../../../api/index.ts'
import { role } from '../../access/index.ts'

/** How many approvals a rule can require. */
const approvals = { minimum: 1, maximum: 5 }

const entry = {
  access_level: t.integerOf([role.developer, role.maintainer, role.administrator]),
  user_id: t.integer(),
  group_id: t.integer(),
  group_inheritance_type: t.integerOf([0, 1], {
    description: 'Of a group: 0 for its direct members, 1 also for inherited ones. Default 0.',
  }),
}
const rule = { ...entry, required_approvals: t.integer({ ...approvals, description: 'Default 1.' }) }
const changed = { id: t.integer(), _destroy: t.boolean() }

const deprecated = t.integer({ description: 'Deprecated: only 0 is accepted.' })
const whoDeploys = { description: 'Who may deploy: each entry names a role, a user or a group.' }
const whoApproves = { description: 'Who has to approve deployments: each rule names a role, a user or a group.' }

/** Parameters of x.protected_environments_create. */
export const newProtection = {
  name: t.required(t.string()),
  deploy_access_levels: t.required(t.array(t.object(entry), whoDeploys)),
  approval_rules: t.array(t.object(rule), whoApproves),
  required_approval_count: deprecated,
}
export type NewProtection = ParamValues<typeof newProtection>

/** Parameters of x.protected_environments_update. */
export const protectionChanges = {
  deploy_access_levels: t.array(t.object({ ...entry, ...changed }), whoDeploys),
  approval_rules: t.array(t.object({ ...rule, ...changed }), whoApproves),
  required_approval_count: deprecated,
}
export type ProtectionChanges = ParamValues<typeof protectionChanges>

/** An entry in a request: whom it names, and the existing entry that it changes or removes. */
export type GivenEntry = ParamValues<typeof rule> & ParamValues<typeof changed>
