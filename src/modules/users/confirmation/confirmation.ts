import { failure } from '../../../api/index.ts'
import { now, type Tx } from '../../../infra/database/index.ts'
import { type Platform, react, sendMail, sendsMail } from '../../../platform/index.ts'
import { lockAccounts } from '../accounts/administrators.ts'
import { claimPrimary } from '../emails/claims.ts'
import { confirmEmail, emailByAddress } from '../emails/store.ts'
import { updateUser, userByEmail, userById } from '../store.ts'
import type { UserRow } from '../tables.ts'

/** How long a link is accepted. */
const validMs = 3 * 86_400_000

const context = 'users:confirmation'

type Claim = { userId: number; address: string; until: number }

/** The path of the link in a mail. */
export const confirmationPath = '/users/confirmation'

/**
 * Sends a mail whose link confirms an address: that of a new account, the next primary one, or a secondary one (contract 20 R10).
 * The link contains the sealed claim, so nothing is stored for it. Without a mail server nothing is sent.
 */
export async function sendConfirmation(
  platform: Platform,
  tx: Tx,
  user: Pick<UserRow, 'id' | 'name'>,
  address: string,
): Promise<void> {
  if (!sendsMail(platform)) return
  const { clock, secrets, externalUrl } = platform
  const claim: Claim = { userId: user.id, address, until: clock.now().getTime() + validMs }
  const token = (await secrets.sealer()).seal(JSON.stringify(claim), context)
  await sendMail(platform, tx, {
    to: address,
    subject: 'Confirmation instructions',
    text: [
      `Welcome, ${user.name}. Confirm your e-mail address ${address} within three days by this link:`,
      `${externalUrl}${confirmationPath}?confirmation_token=${token}`,
      '',
      `If you have no account of ${externalUrl}, ignore this mail.`,
    ].join('\n'),
  })
}

const invalidToken = () => failure(400, 'Confirmation token is invalid')

/** @throws ApiError 400 for a text that this server did not seal, and after three days */
async function readClaim({ secrets, clock }: Platform, token: string): Promise<Claim> {
  const sealer = await secrets.sealer()
  let claim: Claim
  try {
    claim = JSON.parse(sealer.open(token, context))
  } catch {
    throw invalidToken()
  }
  if (claim.until <= clock.now().getTime()) throw failure(400, 'Confirmation token has expired')
  return claim
}

const isSame = (one: string | undefined, other: string) => one?.toLowerCase() === other.toLowerCase()

/** Makes the address that waits for its confirmation the primary one. @returns false when another user has it meanwhile */
async function replacePrimary(platform: Platform, tx: Tx, user: UserRow, address: string): Promise<boolean> {
  const other = await userByEmail(tx, address)
  if (other && other.id !== user.id) return false
  if (!(await claimPrimary(tx, address, user.id))) return false
  const { unconfirmed_email: _, commit_email: __, ...profile } = user.profile
  const at = now(platform.clock)
  const changes = { email: address, confirmed_at: at, public_email: null, profile: JSON.stringify(profile) }
  await updateUser(tx, user.id, { ...changes, updated_at: at })
  await react(platform, tx, 'user.email_changed', { userId: user.id })
  return true
}

/** Confirms what of an account still waits with this address. @returns false when nothing does */
async function confirm(platform: Platform, tx: Tx, user: UserRow, address: string): Promise<boolean> {
  const at = now(platform.clock)
  if (isSame(user.profile.unconfirmed_email, address)) return replacePrimary(platform, tx, user, address)
  if (isSame(user.email, address)) {
    if (user.confirmed_at !== null) return false
    await updateUser(tx, user.id, { confirmed_at: at, updated_at: at })
    return true
  }
  const secondary = await emailByAddress(tx, address)
  if (secondary?.user_id !== user.id || secondary.confirmed_at !== null) return false
  await confirmEmail(tx, secondary.id, at)
  return true
}

/**
 * Confirms the address of a link, once (contract 20 R10). What follows from a confirmed address follows: invitations to it are
 * accepted, and the owner of its domain may claim the account.
 * @throws ApiError 400 for a wrong, an old and a used token
 */
export async function confirmAddress(platform: Platform, token: string): Promise<void> {
  const { userId, address } = await readClaim(platform, token)
  const isConfirmed = await platform.database.write(async (tx) => {
    await lockAccounts(tx)
    const user = await userById(tx, userId)
    if (!user || user.removed_at !== null || !(await confirm(platform, tx, user, address))) return false
    await react(platform, tx, 'user.saved', { userId, isNew: false })
    return true
  })
  if (!isConfirmed) throw invalidToken()
}
