import { unavailable } from '../../../api/index.ts'
import type { Database, Tx } from '../../../infra/database/index.ts'
import { hashPassword, PasswordQueueFull } from '../../../infra/secrets/index.ts'
import { defaultsOf, instanceDefinitions } from '../../../platform/settings/index.ts'
import { updateUser, userByUsername } from '../store.ts'
import { passwordProblems } from './names.ts'

declare module '../../../platform/platform.ts' {
  interface Events {
    /** An account has another password. `sessionId`: the session that changed it, when it is one of this user. */
    'user.password_changed': { userId: number; sessionId: number | null }
  }
}

/** The settings do not bind who operates the server. */
const defaultRules = defaultsOf(instanceDefinitions())

/** @throws ApiError 503 while too many passwords are being hashed */
export async function hashedPassword(password: string): Promise<string> {
  try {
    return await hashPassword(password)
  } catch (error) {
    throw error instanceof PasswordQueueFull ? unavailable() : error
  }
}

/**
 * Sets a password that does not expire, and unlocks the account; for the command line.
 * @param follow what else ends or begins with the change, in its transaction
 * @returns what is wrong with the password; null for an unknown username
 */
export async function setPassword(
  database: Database,
  username: string,
  password: string,
  updated_at: string,
  follow: (tx: Tx, userId: number) => Promise<void> = async () => {},
): Promise<readonly string[] | null> {
  const user = await userByUsername(database.read, username)
  if (!user) return null
  const problems = passwordProblems(password, defaultRules)
  if (problems.length > 0) return problems
  const password_hash = await hashPassword(password)
  const free = { password_expired: false, failed_attempts: 0, locked_until: null }
  await database.write(async (tx) => {
    await updateUser(tx, user.id, { password_hash, ...free, updated_at })
    await follow(tx, user.id)
  })
  return []
}
