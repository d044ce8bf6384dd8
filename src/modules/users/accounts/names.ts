import { isNamespacePath, isReservedPath } from '../../namespaces/index.ts'
import { commonPasswords } from './common-passwords.ts'

/** Why fields of a user are invalid: `{ email: ['is invalid'] }`. */
export type Complaints = Record<string, string[]>

const longestText = 255

function tooLong(maximum: number): string {
  return `is too long (maximum is ${maximum} characters)`
}

/** Length in code points. */
function lengthOf(text: string): number {
  return [...text].length
}

/** Why a username is invalid (contract 20 R5). */
export function usernameComplaints(username: string): string[] {
  if (username.trim() === '') return ["can't be blank"]
  const found: string[] = []
  if (lengthOf(username) < 2) found.push('is too short (minimum is 2 characters)')
  if (lengthOf(username) > longestText) found.push(tooLong(longestText))
  if (!isNamespacePath(username)) {
    found.push(
      "can contain only letters, digits, '_', '-' and '.'. Cannot start with '-' or end in '.', '.git' or '.atom'.",
    )
  }
  if (isReservedPath(username, { topLevel: true })) found.push(`${username} is a reserved name`)
  return found
}

/** One `@` between a local part and a domain, both without blanks and separators of addresses. */
const emailShape = /^[^\p{Cc}\s@<>()[\]\\,;:"]+@[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}-]+)*$/u

/** Why an e-mail address is invalid (contract 20, x.users_create). */
export function emailComplaints(email: string): string[] {
  if (email.trim() === '') return ["can't be blank"]
  return email.length <= longestText && emailShape.test(email) ? [] : ['is invalid']
}

/** Why a display name is invalid. */
export function nameComplaints(name: string): string[] {
  if (name.trim() === '') return ["can't be blank"]
  return lengthOf(name) > longestText ? [tooLong(longestText)] : []
}

const longestPassword = 128

/** Why a password is invalid. @param minimum the setting `minimum_password_length` */
export function passwordComplaints(password: string, minimum: number): string[] {
  if (password === '') return ["can't be blank"]
  if (lengthOf(password) < minimum) return [`is too short (minimum is ${minimum} characters)`]
  if (lengthOf(password) > longestPassword) return [tooLong(longestPassword)]
  if (commonPasswords.has(password.toLowerCase())) {
    return ['must not contain commonly used combinations of words and letters']
  }
  return []
}

/** Why a line of the profile is invalid. */
export function lineComplaints(text: string | null): string[] {
  return text !== null && lengthOf(text) > longestText ? [tooLong(longestText)] : []
}
