import { type ApiError, allScopes, badRequest, failure, invalid } from '../../api/index.ts'

/** A new token as requested. */
export type WantedToken = {
  name: string
  description?: string
  scopes: readonly string[]
  /** `YYYY-MM-DD` */
  expires_at?: string
}

type Field = 'name' | 'description' | 'scopes' | 'expires_at'

/** Why a field of a new token is invalid. */
export type TokenProblem = { field: Field; text: string }

const titles: Record<Field, string> = {
  name: 'Name',
  description: 'Description',
  scopes: 'Scopes',
  expires_at: 'Expiration date',
}

const longestText = 255

function textProblems(field: 'name' | 'description', text: string): TokenProblem[] {
  if ([...text].length <= longestText) return []
  return [{ field, text: `is too long (maximum is ${longestText} characters)` }]
}

/** @param latest the last valid day; null for no limit (see `latestExpiry`) */
export function expiryProblems(expiresAt: string | undefined, latest: string | null): TokenProblem[] {
  if (expiresAt === undefined || latest === null || expiresAt <= latest) return []
  return [{ field: 'expires_at', text: `must be before ${latest}` }]
}

/** All problems of a new token, in the order of its fields (contract 20). */
export function problemsOf(wanted: WantedToken, latest: string | null): TokenProblem[] {
  return [
    ...(wanted.name.trim() === '' ? [{ field: 'name' as const, text: "can't be blank" }] : []),
    ...textProblems('name', wanted.name),
    ...textProblems('description', wanted.description ?? ''),
    ...(wanted.scopes.length === 0 ? [{ field: 'scopes' as const, text: "can't be blank" }] : []),
    ...expiryProblems(wanted.expires_at, latest),
  ]
}

/** Makes the error of problems; its form differs between the kinds of tokens (contract 20). */
export type Refuse = (problems: readonly TokenProblem[]) => ApiError

/** The problems as one English sentence: `a`, `a and b`, `a, b, and c`. */
function sentenceOf(problems: readonly TokenProblem[]): string {
  const parts = problems.map(({ field, text }) => `${titles[field]} ${text}`)
  if (parts.length <= 2) return parts.join(' and ')
  return `${parts.slice(0, -1).join(', ')}, and ${parts.at(-1)}`
}

/** Form C. */
export const asFields: Refuse = (problems) => {
  const fields: Record<string, string[]> = {}
  for (const { field, text } of problems) fields[field] = [...(fields[field] ?? []), text]
  return invalid(fields)
}

/** 422 with a sentence. */
export const asUnprocessable: Refuse = (problems) => failure(422, sentenceOf(problems))

/** Form D. */
export const asBadRequest: Refuse = (problems) => badRequest(sentenceOf(problems))

/** 400 with a sentence. */
export const asSentence: Refuse = (problems) => failure(400, sentenceOf(problems))

/** @throws ApiError what `refuse` returns for the problems, if there are any */
export function requireNoProblems(problems: readonly TokenProblem[], refuse: Refuse): void {
  if (problems.length > 0) throw refuse(problems)
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
