import type { Database } from '../../../infra/database/index.ts'
import { hashPassword } from '../../../infra/secrets/index.ts'
import { updateUser, userByUsername } from '../store.ts'
import { passwordProblems } from './names.ts'

const shortestPassword = 8

/**
 * Sets a password that does not expire, and unlocks the account; for the command line.
 * @returns what is wrong with the password; null for an unknown username
 */
export async function setPassword(
  database: Database,
  username: string,
  password: string,
  updated_at: string,
): Promise<readonly string[] | null> {
  const user = await userByUsername(database.read, username)
  if (!user) return null
  const problems = passwordProblems(password, shortestPassword)
  if (problems.length > 0) return problems
  const password_hash = await hashPassword(password)
  const free = { password_expired: false, failed_attempts: 0, locked_until: null }
  await database.write((tx) => updateUser(tx, user.id, { password_hash, ...free, updated_at }))
  return []
}
