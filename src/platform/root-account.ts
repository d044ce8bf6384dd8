import type { Config } from '../config.ts'
import type { Reader } from '../infra/database/index.ts'
import type { Platform } from './platform.ts'

/** The password of root at the first start. */
export type RootPassword = {
  text: string
  isConfigured: boolean
  /** Slow on purpose, so it is computed at most once. */
  hash(): Promise<string>
}

/** What the start found or created. Token and password are present only if they were created by this start. */
export type FirstBoot = { isFirst: boolean; token: string | undefined; password: string | undefined }

/**
 * Creates the account `root`. `ports.ts` names the implementation. The start calls the first two before the platform is
 * open, so that hashing the password overlaps with opening.
 */
export type RootAccount = {
  /** Whether the database has any user. */
  anyUserExists(db: Reader): Promise<boolean>
  rootPassword(configured: Config['rootPassword']): RootPassword
  /** Creates root in an empty database, and its token at each start (contract 20 R6). */
  firstBoot(
    platform: Pick<Platform, 'config' | 'database' | 'clock' | 'settings'>,
    password: RootPassword,
  ): Promise<FirstBoot>
}
