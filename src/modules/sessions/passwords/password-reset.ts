import { failure, refuse } from '../../../api/index.ts'
import { claim } from '../../../infra/database/index.ts'
import {
  enqueue,
  type Job,
  mayMailLink,
  type Platform,
  sendMail,
  sendsMail,
  throttleOpenForm,
} from '../../../platform/index.ts'
import { passwordMark } from '../../tokens/index.ts'
import { emailProblems, hashedPassword, type UserRow, userById, usersByEmails } from '../../users/index.ts'
import { newPasswordProblems, replacePassword } from './new-password.ts'

/** How long a link is accepted. */
const validMs = 6 * 3_600_000

const context = 'sessions:password_reset'

/** The path of the link in a mail. */
export const passwordResetPath = '/users/password/edit'

/** `mark` changes with the password, so that a link sets one password. */
type Claim = { userId: number; address: string; mark: string; until: number }

/** Whether the user may set a password by a link; others could not sign in with it. */
const maySet = ({ bot_kind, state }: UserRow) => bot_kind === null && (state === 'active' || state === 'deactivated')

/** Sends the link, when the address is a confirmed one of a user who may sign in. */
export const mailPasswordReset: Job<{ address: string }> = {
  kind: 'sessions.mail_password_reset',
  queue: 'mail',
  async run(platform, { address: asked }) {
    const { database, clock, secrets, externalUrl } = platform
    const [found] = await usersByEmails(database.read, [asked])
    if (!found || !maySet(found.user)) return
    const { address, user } = found
    const claimed: Claim = {
      ...{ userId: user.id, address, mark: passwordMark(user) },
      until: clock.now().getTime() + validMs,
    }
    const token = (await secrets.sealer()).seal(JSON.stringify(claimed), context)
    const text = [
      `Hello ${user.name}, set a new password within six hours by this link:`,
      `${externalUrl}${passwordResetPath}?reset_password_token=${token}`,
      '',
      'If you did not ask for it, ignore this mail: your password stays as it is.',
    ].join('\n')
    await database.write((tx) => sendMail(platform, tx, { to: address, subject: 'Reset password instructions', text }))
  },
}

/**
 * Sends a mail whose link sets a new password (contract 20 R13). The answer and its time are the same for every address: a job
 * looks it up. An address gets five links an hour at most.
 * @returns false on a server without a mail server
 * @throws ApiError 429 after too many requests from `ip`
 */
export async function requestPasswordReset(platform: Platform, address: string, ip: string): Promise<boolean> {
  await throttleOpenForm(platform, ip)
  if (!sendsMail(platform)) return false
  if (emailProblems(address).length > 0 || !(await mayMailLink(platform, address))) return true
  await platform.database.write((tx) => enqueue(platform, tx, mailPasswordReset, { address }))
  return true
}

const invalidToken = () => failure(400, 'Reset password token is invalid')

/** @throws ApiError 400 for a text that this server did not seal, and after six hours */
async function readClaim({ secrets, clock }: Platform, token: string): Promise<Claim> {
  const sealer = await secrets.sealer()
  let claimed: Claim
  try {
    claimed = JSON.parse(sealer.open(token, context))
  } catch {
    throw invalidToken()
  }
  if (claimed.until <= clock.now().getTime()) throw failure(400, 'Reset password token has expired')
  return claimed
}

/**
 * Sets the password of the user of a link, once, and ends all sessions of the user (contract 20 R13). The second factor stays.
 * @throws ApiError 400 for a wrong, an old and a used token, and for what is wrong with the password; 503 while too many
 * passwords are being hashed
 */
export async function resetPassword(platform: Platform, token: string, newPassword: string): Promise<void> {
  const { userId, address, mark } = await readClaim(platform, token)
  refuse({ password: await newPasswordProblems(platform, newPassword) })
  const password_hash = await hashedPassword(newPassword)
  await platform.database.write(async (tx) => {
    const user = await claim(tx, 'users', () => userById(tx, userId))
    const [owner] = await usersByEmails(tx, [address])
    if (!user || owner?.user.id !== user.id || passwordMark(user) !== mark || !maySet(user)) throw invalidToken()
    await replacePassword(platform, tx, { userId: user.id, password_hash, sessionId: null })
  })
}
