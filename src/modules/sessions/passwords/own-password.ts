import { type Actor, blank, forbidden, invalid, refuse, requireSignedIn, unavailable } from '../../../api/index.ts'
import { claim } from '../../../infra/database/index.ts'
import { PasswordQueueFull } from '../../../infra/secrets/index.ts'
import { type Platform, recordAct, throttleProtectedPath } from '../../../platform/index.ts'
import { checkPassword, hashedPassword, type UserRow, userById } from '../../users/index.ts'
import { newPasswordProblems, replacePassword } from './new-password.ts'

/** Who changes their password, from which address. */
type Caller = { actor: Actor; ip: string }

const wrong = () => invalid({ current_password: ['is invalid'] })

/** @throws ApiError 400 for a wrong password, 429 and 503 as signing in */
async function requirePassword(platform: Platform, user: UserRow, password: string, ip: string): Promise<void> {
  if (password === '') throw invalid({ current_password: [blank] })
  const isRight = await checkPassword(platform, user, password, ip).catch((error) => {
    throw error instanceof PasswordQueueFull ? unavailable() : error
  })
  if (!isRight) throw wrong()
}

/**
 * Changes the password of the caller, and ends all sessions of the caller but the one that asks (contract 20,
 * x.user_password_update).
 * @throws ApiError 403 for bots; 400 for a wrong password and for what is wrong with the new one; 429 after too many requests or
 * failures of the address; 503 while too many passwords are being hashed
 */
export async function changeOwnPassword(
  platform: Platform,
  { actor, ip }: Caller,
  { current_password: current, password }: { current_password: string; password: string },
): Promise<void> {
  const { userId, credential } = requireSignedIn(actor)
  await throttleProtectedPath(platform, ip)
  const checked = await userById(platform.database.read, userId)
  if (!checked || checked.bot_kind !== null) throw forbidden()
  await requirePassword(platform, checked, current, ip)
  refuse({ password: await newPasswordProblems(platform, password, current) })
  const password_hash = await hashedPassword(password)
  const sessionId = credential.kind === 'session' ? credential.id : null
  await platform.database.write(async (tx) => {
    const user = await claim(tx, 'users', () => userById(tx, userId))
    if (user?.password_hash !== checked.password_hash) throw wrong()
    await replacePassword(platform, tx, { userId, password_hash, sessionId })
    const target = { kind: 'user', id: userId } as const
    await recordAct(platform, tx, actor, { name: 'user_password.update', target, byAll: true })
  })
}
