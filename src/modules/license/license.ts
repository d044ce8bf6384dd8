import { invalid } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { accountFacts } from '../users/index.ts'

/**
 * The licence of the instance: every feature, for any number of users, without an end (contract 20, License and "Resolved
 * gaps"). The licensee is the first administrator.
 */
export async function currentLicense({ database }: Platform) {
  const { active, founder } = await accountFacts(database.read)
  const createdAt = founder?.created_at ?? new Date(0).toISOString()
  return {
    id: 1,
    plan: 'ultimate',
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

/** The server issues no keys, so none can be installed (contract 20, x.license_add). @throws ApiError 400 */
export function installLicense(): never {
  throw invalid({
    base: ['The license key is invalid. Make sure it is exactly as you received it from GitLab Inc.'],
  })
}
