import { invalid } from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'
import { accountFacts } from '../users/index.ts'
import { presentLicense } from './present.ts'

/**
 * The licence of the instance: every feature of its tier, for any number of users, without an end (contract 20, License and "Resolved
 * gaps"). The licensee is the first administrator.
 */
export async function currentLicense({ database, config }: Platform) {
  const { active, founder } = await accountFacts(database.read)
  return presentLicense(config.edition.tier, active, founder)
}

/** The server issues no keys, so none can be installed (contract 20, x.license_add). @throws ApiError 400 */
export function installLicense(): never {
  throw invalid({
    base: ['The license key is invalid. Make sure it is exactly as you received it from GitLab Inc.'],
  })
}
