import {
  type ApiError,
  allScopes,
  badRequest,
  blank,
  failure,
  invalid,
  lengthProblems,
  oneSentence,
  onlyProblems,
  type Problems,
  type Scope,
} from '../../api/index.ts'
import type { Platform } from '../../platform/index.ts'

/** A new token as requested. */
export type WantedToken = {
  name: string
  description?: string
  scopes: readonly string[]
  /** `YYYY-MM-DD` */
  expires_at?: string
}

const titles: Record<string, string> = {
  name: 'Name',
  description: 'Description',
  scopes: 'Scopes',
  expires_at: 'Expiration date',
}

const longestText = 255

/** The days on which a new token may expire: from `earliest` to `latest`; null for no limit. */
export type ExpiryRange = { earliest: string | null; latest: string | null }

/** @param range see `expiryRange` */
export function expiryProblems(expiresAt: string | undefined, { earliest, latest }: ExpiryRange): string[] {
  if (expiresAt === undefined) return []
  if (latest !== null && expiresAt > latest) return [`must be before ${latest}`]
  return earliest !== null && expiresAt < earliest ? ["can't be in the past"] : []
}

/** All problems of a new token, in the order of its fields (contract 20). */
export function problemsOf({ name, description, scopes, expires_at }: WantedToken, range: ExpiryRange): Problems {
  return {
    name: [...(name.trim() === '' ? [blank] : []), ...lengthProblems(name, longestText)],
    description: lengthProblems(description ?? '', longestText),
    scopes: scopes.length === 0 ? [blank] : [],
    expires_at: expiryProblems(expires_at, range),
  }
}

/** Makes the error of problems; its form differs between the kinds of tokens (contract 20). */
export type Refuse = (problems: Problems) => ApiError

/** The problems as one English sentence: `a`, `a and b`, `a, b, and c`. */
function sentenceOf(problems: Problems): string {
  return oneSentence(
    Object.entries(problems).flatMap(([field, texts]) => texts.map((text) => `${titles[field]} ${text}`)),
  )
}

/** Form C. */
export const asFields: Refuse = invalid

/** 422 with a sentence. */
export const asUnprocessable: Refuse = (problems) => failure(422, sentenceOf(problems))

/** Form D. */
export const asBadRequest: Refuse = (problems) => badRequest(sentenceOf(problems))

/** 400 with a sentence. */
export const asSentence: Refuse = (problems) => failure(400, sentenceOf(problems))

/** @throws ApiError what `refuse` returns for the problems, if there are any */
export function requireNoProblems(problems: Problems, refuse: Refuse): void {
  const found = onlyProblems(problems)
  if (Object.keys(found).length > 0) throw refuse(found)
}

const administratorScopes = new Set(['sudo', 'admin_mode'])
const registryScopes = new Set(['read_registry', 'write_registry'])

/** The scopes that tokens of a user may have: those of administrators are for these, those of the registry need one. */
export function availableScopes({ config }: Pick<Platform, 'config'>, user: { is_admin: boolean }): Scope[] {
  return allScopes.filter(
    (scope) =>
      (user.is_admin || !administratorScopes.has(scope)) && (config.registryEnabled || !registryScopes.has(scope)),
  )
}

/**
 * Refuses unknown scopes, scopes of administrators for other users (contract 20 R1), and those of the registry while there
 * is none (contract 00, "Scopes").
 * @throws ApiError what `refuse` returns; 400, form C
 */
export function requireAvailableScopes(
  platform: Pick<Platform, 'config'>,
  scopes: readonly string[],
  user: { is_admin: boolean },
  refuse: Refuse = asFields,
): void {
  const available: readonly string[] = availableScopes(platform, user)
  if (!scopes.every((scope) => available.includes(scope))) {
    throw refuse({ scopes: ['can only contain available scopes'] })
  }
}
