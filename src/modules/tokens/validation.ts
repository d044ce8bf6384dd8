import {
  type ApiError,
  allScopes,
  badRequest,
  blank,
  failure,
  invalid,
  lengthProblems,
  onlyProblems,
  type Problems,
} from '../../api/index.ts'

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

/** @param latest the last valid day; null for no limit (see `latestExpiry`) */
export function expiryProblems(expiresAt: string | undefined, latest: string | null): string[] {
  return expiresAt === undefined || latest === null || expiresAt <= latest ? [] : [`must be before ${latest}`]
}

/** All problems of a new token, in the order of its fields (contract 20). */
export function problemsOf({ name, description, scopes, expires_at }: WantedToken, latest: string | null): Problems {
  return {
    name: [...(name.trim() === '' ? [blank] : []), ...lengthProblems(name, longestText)],
    description: lengthProblems(description ?? '', longestText),
    scopes: scopes.length === 0 ? [blank] : [],
    expires_at: expiryProblems(expires_at, latest),
  }
}

/** Makes the error of problems; its form differs between the kinds of tokens (contract 20). */
export type Refuse = (problems: Problems) => ApiError

/** The problems as one English sentence: `a`, `a and b`, `a, b, and c`. */
function sentenceOf(problems: Problems): string {
  const parts = Object.entries(problems).flatMap(([field, texts]) => texts.map((text) => `${titles[field]} ${text}`))
  if (parts.length <= 2) return parts.join(' and ')
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`
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
const knownScopes = new Set<string>(allScopes)

/**
 * Refuses unknown scopes, and scopes of administrators for other users (contract 20 R1).
 * @throws ApiError 400, form C
 */
export function requireAvailableScopes(scopes: readonly string[], user: { is_admin: boolean }): void {
  const isAvailable = (scope: string) => knownScopes.has(scope) && (user.is_admin || !administratorScopes.has(scope))
  if (!scopes.every(isAvailable)) throw invalid({ scopes: ['can only contain available scopes'] })
}
