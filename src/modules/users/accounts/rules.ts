import { ApiError, conflict, invalid } from '../../../api/index.ts'
import { isUniqueViolation, type Reader } from '../../../infra/database/index.ts'
import { isPathTaken } from '../../namespaces/index.ts'
import { userByEmail, userByUsername } from '../store.ts'
import type { UserRow } from '../tables.ts'
import {
  type Complaints,
  emailComplaints,
  lineComplaints,
  nameComplaints,
  passwordComplaints,
  usernameComplaints,
} from './names.ts'
import { lineNames, type UserChanges } from './params.ts'

const emailTaken = () => conflict('Email has already been taken')
const usernameTaken = () => conflict('Username has already been taken')

/**
 * Requires that no other account has the e-mail address or the username; the address is checked first (contract 20,
 * x.users_create).
 * @param before the account that is changed
 * @throws ApiError 409
 */
export async function requireFreeNames(
  db: Reader,
  { email, username }: { email?: string; username?: string },
  before?: UserRow,
): Promise<void> {
  if (email !== undefined && !email.includes('\u0000')) {
    const owner = await userByEmail(db, email)
    if (owner && owner.id !== before?.id) throw emailTaken()
  }
  if (username === undefined || username.toLowerCase() === before?.username.toLowerCase()) return
  if ((await userByUsername(db, username)) || (await isPathTaken(db, username))) throw usernameTaken()
}

/** The error of the API for a violated unique index, when a concurrent request took the name; other errors unchanged. */
export function duplicateError(error: unknown): unknown {
  if (isUniqueViolation(error, 'users_email_unique')) return emailTaken()
  if (isUniqueViolation(error, 'identities_extern_uid_unique')) {
    return invalid({ 'identities.extern_uid': ['has already been taken'] })
  }
  return isUniqueViolation(error) ? usernameTaken() : error
}

/**
 * The identity in the parameters.
 * @throws ApiError 400 when only one of provider and extern_uid is given
 */
export function identityOf(input: { provider?: string; extern_uid?: string }) {
  const { provider, extern_uid: externUid } = input
  if (!provider && !externUid) return undefined
  if (provider && externUid) return { provider, externUid }
  const text = 'provide all or none of parameters'
  const message = { extern_uid: [text], provider: [text] }
  throw new ApiError('all_or_none', 400, { message, error: `extern_uid, provider ${text}` })
}

/** The confirmed addresses of a user. */
function ownAddresses(user: { email: string; confirmed: boolean }): string[] {
  return user.confirmed ? [user.email.toLowerCase()] : []
}

function addressComplaints(value: string | null | undefined, own: readonly string[]): string[] {
  return !value || value === '_private' || own.includes(value.toLowerCase()) ? [] : ['is not an email you own']
}

/** What the rules depend on besides the parameters. */
type RuleContext = {
  minimumPasswordLength: number
  /** The address that the user will have, and whether it is confirmed. */
  address: { email: string; confirmed: boolean }
}

/**
 * Step 17: validates the fields of a user that are given.
 * @throws ApiError 400 with the complaints about each field
 */
export function requireValid(input: UserChanges, { minimumPasswordLength, address }: RuleContext): void {
  const own = ownAddresses(address)
  const found: Complaints = {}
  const note = (name: string, complaints: string[]) => {
    if (complaints.length > 0) found[name] = complaints
  }
  if (input.email !== undefined) note('email', emailComplaints(input.email))
  if (input.name !== undefined) note('name', nameComplaints(input.name))
  if (input.username !== undefined) note('username', usernameComplaints(input.username))
  if (input.password !== undefined) note('password', passwordComplaints(input.password, minimumPasswordLength))
  for (const name of lineNames) note(name, lineComplaints(input[name] ?? null))
  note('public_email', addressComplaints(input.public_email === '_private' ? '-' : input.public_email, own))
  note('commit_email', addressComplaints(input.commit_email, own))
  if (Object.keys(found).length > 0) throw invalid(found)
}
