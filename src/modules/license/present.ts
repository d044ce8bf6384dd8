import { forms, type Static, Type } from '../../api/index.ts'

/** The licence of the instance (contract 20, License). */
export const License = Type.Object(
  {
    id: forms.id,
    plan: Type.String(),
    created_at: forms.timestamp,
    starts_at: forms.day,
    expires_at: forms.nullableDay,
    historical_max: Type.Integer(),
    maximum_user_count: Type.Integer(),
    expired: Type.Boolean(),
    overage: Type.Integer(),
    user_limit: forms.nullableInteger,
    active_users: Type.Integer(),
    licensee: Type.Object({ Name: Type.String(), Email: Type.String(), Company: Type.String() }),
    add_ons: Type.Object({}),
  },
  { title: 'License' },
)

/** What the licence shows of the first administrator. */
type Founder = { name: string; email: string; created_at: string }

/** A licence without limits. @param active the number of active users */
export function presentLicense(plan: string, active: number, founder: Founder | null): Static<typeof License> {
  const createdAt = founder?.created_at ?? new Date(0).toISOString()
  return {
    id: 1,
    plan,
    created_at: createdAt,
    starts_at: createdAt.slice(0, 'YYYY-MM-DD'.length),
    expires_at: null,
    // Earlier numbers of users are not recorded.
    historical_max: active,
    maximum_user_count: active,
    expired: false,
    overage: 0,
    user_limit: null,
    active_users: active,
    licensee: { Name: founder?.name ?? '', Email: founder?.email ?? '', Company: '' },
    add_ons: {},
  }
}
