import { type Param, type ParamValues, t, takenIn } from '../../api/index.ts'

/** One value or several, separated by commas or as a JSON list. All must be valid, and an empty list counts as absent. */
export function oneOrMore<T>(item: Param<T, false>, description: string): Param<T[], false> {
  const list = t.array(item, { commaSeparated: true, maximum: 1_000 })
  return {
    ...list,
    schema: { type: ['string', item.schema.type], description },
    emptyIsAbsent: true,
    read(value, name, problems) {
      const found: typeof problems = []
      const values = list.read(value, name, found)
      if (found.length === 0 && values && values.length > 0) return values
      problems.push({ name, missing: false, text: 'is invalid' })
      return undefined
    },
  }
}

/** Parameters of x.group_members_list and x.project_members_list. */
export const memberFilter = {
  query: t.string({ description: 'Part of the name or user name.' }),
  user_ids: t.array(t.integer(), { commaSeparated: true, description: 'Only these users.' }),
  skip_users: t.array(t.integer(), { commaSeparated: true, description: 'All but these users.' }),
  show_seat_info: t.boolean({ description: 'Show whether each member takes a seat.' }),
  with_saml_identity: t.boolean({ description: 'Only users with a SAML identity of the group.' }),
}

/** Parameters of x.group_members_all and x.project_members_all. */
export const effectiveMemberFilter = {
  ...memberFilter,
  state: t.oneOf(['awaiting', 'active'], { description: 'Only memberships of this state.' }),
}
export type MemberFilter = ParamValues<typeof effectiveMemberFilter>

const accessLevel = t.required(
  t.integer({
    description:
      'The role: 10 guest, 15 planner, 20 reporter, 30 developer, 40 maintainer, 50 owner; in groups also 5, minimal access.',
  }),
)

const memberRole = 'The member role, whose base level the membership has.'

/** The member role of a membership or of what leads to one; only Ultimate has it. */
const newMemberRole = takenIn({ tier: 'ultimate' }, t.integer({ description: memberRole }))

export const newMembers = {
  user_id: oneOrMore(t.integer(), 'Id of the user, or several with commas between them.'),
  username: oneOrMore(t.string({ blank: false }), 'Name of the user, or several with commas between them.'),
  access_level: accessLevel,
  expires_at: t.date({ description: 'The day on which the membership ends.' }),
  member_role_id: newMemberRole,
}
export type NewMembers = ParamValues<typeof newMembers>

export const memberChange = {
  user_id: t.id({ otherwise: 'route' }),
  access_level: accessLevel,
  expires_at: t.clearable(t.date({ description: 'The day on which the membership ends; null or empty for none.' })),
  member_role_id: takenIn(
    { tier: 'ultimate' },
    t.clearable(
      t.integer({ description: `${memberRole} Null or empty for none; without it a changed level ends the role.` }),
    ),
  ),
}
export type MemberChange = ParamValues<typeof memberChange>

export const memberRemoval = {
  user_id: t.id({ otherwise: 'route' }),
  skip_subresources: t.boolean({ description: 'Do not delete direct memberships in the groups and projects below.' }),
  unassign_issuables: t.boolean({ description: 'Remove the user from issues and merge requests.' }),
}
export type MemberRemoval = ParamValues<typeof memberRemoval>
