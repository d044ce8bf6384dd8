import { type ParamValues, t } from '../../../api/index.ts'

/** The levels up to which members of an invited group can count. */
const shareLevels = [10, 15, 20, 30, 40, 50] as const

export const groupShare = {
  group_id: t.required(t.integer({ description: 'The group that is invited' })),
  group_access: t.required(t.integerOf(shareLevels, { description: 'The level up to which its members count' })),
  expires_at: t.date(),
  member_role_id: t.integer(),
}
export type GroupShare = ParamValues<typeof groupShare>
