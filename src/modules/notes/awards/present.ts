import { forms, type Static, Type } from '../../../api/index.ts'
import { type PresentingUsers, presentUserBasic, UserBasic, type UserRow } from '../../users/index.ts'
import type { AwardEmojiRow } from '../tables.ts'

/** An award emoji (contract 16, AwardEmoji). */
export const AwardEmoji = Type.Object(
  {
    id: forms.id,
    name: Type.String(),
    user: UserBasic,
    created_at: forms.timestamp,
    updated_at: forms.timestamp,
    awardable_id: forms.nullableInteger,
    awardable_type: Type.String(),
    url: forms.nullableString,
  },
  { title: 'AwardEmoji' },
)
export type PresentedAward = Static<typeof AwardEmoji>

export function presentAward(row: AwardEmojiRow, user: UserRow, presenting: PresentingUsers): PresentedAward {
  const { id, name, created_at, updated_at, noteable_id, noteable_type } = row
  return {
    ...{ id, name, user: presentUserBasic(user, presenting), created_at, updated_at },
    ...{ awardable_id: noteable_id, awardable_type: noteable_type, url: null },
  }
}
