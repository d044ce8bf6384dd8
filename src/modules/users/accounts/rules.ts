import { ApiError, conflict, invalid, type Problems, refuse, taken } from '../../../api/index.ts'
import { isUniqueViolation, type Reader } from '../../../infra/database/index.ts'
import { isPathTaken } from '../../namespaces/index.ts'
import { emailByAddress } from '../emails/store.ts'
import { userByEmail, userByUsername } from '../store.ts'
import type { UserRow } from '../tables.ts'
import {
  emailProblems,
  lineProblems,
  nameProblems,
  type PasswordRules,
  passwordProblems,
  usernameProblems,
} from './names.ts'
import { lineNames, type UserChanges } from './params.ts'
import { emailTaken } from './rows.ts'

const usernameTaken = () => conflict(`Username ${taken}`)

async function isEmailTaken(db: Reader, email: string | undefined, before?: UserRow): Promise<boolean> {
  if (email === undefined) return false
  const ownerId = (await userByEmail(db, email))?.id ?? (await emailByAddress(db, email))?.user_id
  return ownerId !== undefined && ownerId !== before?.id
}

async function isUsernameTaken(db: Reader, username: string | undefined, before?: UserRow): Promise<boolean> {
  if (username === undefined || username.toLowerCase() === before?.username.toLowerCase()) return false
  return (await userByUsername(db, username)) !== null || isPathTaken(db, username)
}

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
  if (await isEmailTaken(db, email, before)) throw emailTaken()
  if (await isUsernameTaken(db, username, before)) throw usernameTaken()
}

/** How an account is called and reached. */
export type Naming = { email?: string; name?: string; username?: string }

/**
 * What is wrong with the names and the address of an account that groups or administrators manage, also that another
 * account has them (contract 12, 3.25).
 * @param before the account that is changed
 */
export async function namingProblems(db: Reader, wanted: Naming, before?: UserRow): Promise<Problems> {
  const { email, name, username } = wanted
  return {
    email: [
      ...(email === undefined ? [] : emailProblems(email)),
      ...((await isEmailTaken(db, email, before)) ? [taken] : []),
    ],
    name: name === undefined ? [] : nameProblems(name),
    username: [
      ...(username === undefined || username === before?.username ? [] : usernameProblems(username, { strict: true })),
      ...((await isUsernameTaken(db, username, before)) ? [taken] : []),
    ],
  }
}

/** The error of the API for a violated unique index, when a concurrent request took the name; other errors unchanged. */
export function duplicateError(error: unknown): unknown {
  if (isUniqueViolation(error, 'users_email_unique')) return emailTaken()
  if (isUniqueViolation(error, 'identities_extern_uid_unique')) {
    return invalid({ 'identities.extern_uid': [taken] })
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

function addressProblems(value: string | null | undefined, own: readonly string[]): string[] {
  return !value || value === '_private' || own.includes(value.toLowerCase()) ? [] : ['is not an email you own']
}

/** What the rules depend on besides the parameters. */
type RuleContext = {
  password: PasswordRules
  /** The address that the user will have, and whether it is confirmed. */
  address: { email: string; confirmed: boolean }
  /** The confirmed secondary addresses, in lower case. */
  secondary?: readonly string[]
}

/**
 * Step 17: validates the fields of a user that are given.
 * @throws ApiError 400 with the problems of each field
 */
export function requireValid(input: UserChanges, { password: rules, address, secondary = [] }: RuleContext): void {
  const { email, name, username, password, public_email: publicEmail } = input
  const own = [...(address.confirmed ? [address.email.toLowerCase()] : []), ...secondary]
  refuse({
    email: email === undefined ? [] : emailProblems(email),
    name: name === undefined ? [] : nameProblems(name),
    username: username === undefined ? [] : usernameProblems(username),
    // There are no users who read everything without administrating it.
    auditor: input.auditor === true ? ['is not supported'] : [],
    password: password === undefined ? [] : passwordProblems(password, rules),
    ...Object.fromEntries(lineNames.map((line) => [line, lineProblems(input[line])])),
    public_email: addressProblems(publicEmail === '_private' ? '-' : publicEmail, own),
    commit_email: addressProblems(input.commit_email, own),
  })
}
