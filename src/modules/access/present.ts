import { type Static, Type } from '../../api/index.ts'
import { groupPolicy, projectPolicy, type Rule, role, roleName } from './policy.ts'

const Ability = Type.Object({
  name: Type.String({ examples: ['push_code'] }),
  least_role: Type.Integer({
    description: 'The access level from which on a member has it; 60 for administrators only',
  }),
  without_role: Type.String({
    description:
      'Who has it without a role in a project or group that its visibility shows: `all`, `signed_in` or `none`',
  }),
  conditions: Type.Array(Type.String({ examples: ['not while archived'] })),
})

/** Which role has which ability (contract 20, Policy). */
export const Policy = Type.Object(
  {
    roles: Type.Array(Type.Object({ access_level: Type.Integer(), name: Type.String() })),
    projects: Type.Array(Ability),
    groups: Type.Array(Ability),
  },
  { title: 'Policy' },
)

const roles = [role.guest, role.planner, role.reporter, role.developer, role.maintainer, role.owner]

function conditionsOf({ writes, feature, needsCode, oneOf, hidesFromAnonymous, fromBelow }: Rule): string[] {
  const conditions = [
    writes ? 'not while archived' : '',
    feature ? `needs ${feature}` : '',
    needsCode ? 'needs the code' : '',
    oneOf ? `needs ${oneOf.join(' or ')}` : '',
    hidesFromAnonymous ? 'hidden from anonymous callers' : '',
    fromBelow ? 'also with a role in a project below' : '',
  ]
  return conditions.filter((text) => text !== '')
}

const abilitiesOf = (policy: Readonly<Record<string, Rule>>) =>
  Object.entries(policy).map(([name, rule]) => ({
    name,
    least_role: rule.administrators ? role.administrator : rule.role,
    without_role: rule.visible === 'public' ? 'all' : rule.visible === 'signed-in' ? 'signed_in' : 'none',
    conditions: conditionsOf(rule),
  }))

/** The policy, from the tables that decide. */
export function presentPolicy(): Static<typeof Policy> {
  return {
    roles: roles.map((level) => ({ access_level: level, name: roleName(level) })),
    projects: abilitiesOf(projectPolicy),
    groups: abilitiesOf(groupPolicy),
  }
}
