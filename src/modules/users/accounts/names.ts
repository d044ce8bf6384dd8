import { blank, lengthProblems, textProblems } from '../../../api/index.ts'
import type { InstanceSettings } from '../../../platform/settings/index.ts'
import { isReservedPath, namespacePathProblems, strictPathProblems } from '../../namespaces/index.ts'
import { commonPasswords } from './common-passwords.ts'

const longestText = 255

/** Problems of a text with fewer characters (code points) than this. */
function shortProblems(text: string, minimum: number): string[] {
  return [...text].length < minimum ? [`is too short (minimum is ${minimum} characters)`] : []
}

/**
 * Problems of a username (contract 20 R5).
 * @param strict whether the stricter rule for paths applies (contract 12, 3.25)
 */
export function usernameProblems(username: string, { strict = false }: { strict?: boolean } = {}): string[] {
  if (username.trim() === '') return [blank]
  return [
    ...shortProblems(username, 2),
    ...lengthProblems(username, longestText),
    ...(strict ? strictPathProblems(username) : namespacePathProblems(username)),
    ...(isReservedPath(username, { topLevel: true }) ? [`${username} is a reserved name`] : []),
  ]
}

/** One `@` between a local part and a domain, both without blanks and separators of addresses. */
const emailShape = /^[^\p{Cc}\s@<>()[\]\\,;:"]+@[\p{L}\p{N}](?:[\p{L}\p{N}-]*[\p{L}\p{N}])?(?:\.[\p{L}\p{N}-]+)*$/u

/** Problems of an e-mail address (contract 20, x.users_create). */
export function emailProblems(email: string): string[] {
  if (email.trim() === '') return [blank]
  return email.length <= longestText && emailShape.test(email) ? [] : ['is invalid']
}

/** Problems of a display name. */
export function nameProblems(name: string): string[] {
  return textProblems(name, longestText)
}

const longestPassword = 128

/** The settings that say what is asked of a password. */
export type PasswordRules = Pick<InstanceSettings, 'minimum_password_length' | keyof typeof askedOf>

/** What a password has where the setting demands it. */
const askedOf = {
  password_number_required: { pattern: /\p{N}/u, what: 'number' },
  password_symbol_required: { pattern: /[^\p{L}\p{N}\s]/u, what: 'symbol' },
  password_uppercase_required: { pattern: /\p{Lu}/u, what: 'uppercase letter' },
  password_lowercase_required: { pattern: /\p{Ll}/u, what: 'lowercase letter' },
} as const

function missingProblems(password: string, rules: PasswordRules): string[] {
  const lacking = Object.entries(askedOf).filter(([name, { pattern }]) => {
    return rules[name as keyof typeof askedOf] && !pattern.test(password)
  })
  return lacking.map(([, { what }]) => `must contain at least one ${what}`)
}

/** Problems of a password that a user or an administrator chooses. */
export function passwordProblems(password: string, rules: PasswordRules): string[] {
  if (password === '') return [blank]
  const found = [
    ...shortProblems(password, rules.minimum_password_length),
    ...lengthProblems(password, longestPassword),
    ...missingProblems(password, rules),
  ]
  if (found.length > 0 || !commonPasswords.has(password.toLowerCase())) return found
  return ['must not contain commonly used combinations of words and letters']
}

/** Problems of a line of the profile. */
export function lineProblems(text: string | null | undefined): string[] {
  return lengthProblems(text ?? '', longestText)
}
