import { ApiError, oneSentence, onlyProblems } from '../../api/index.ts'
import type { Reader } from '../../infra/database/index.ts'
import { duplicateError, type Naming, namingProblems, type UserRow } from '../users/index.ts'

/** Makes the error of a sentence about names; its form differs between the operations (contract 12). */
export type Refuse = (sentence: string) => ApiError

const titles: Record<string, string> = { email: 'Email', name: 'Name', username: 'Username' }

/**
 * Refuses names that are invalid or that another account has, all in one sentence (contract 3.25).
 * @param before the account that is changed
 * @throws ApiError what `refuse` returns
 */
export async function requireNaming(db: Reader, wanted: Naming, refuse: Refuse, before?: UserRow): Promise<void> {
  const found = Object.entries(onlyProblems(await namingProblems(db, wanted, before)))
  if (found.length === 0) return
  throw refuse(oneSentence(found.flatMap(([field, texts]) => texts.map((text) => `${titles[field]} ${text}`))))
}

/** Runs a change of names. @throws ApiError what `refuse` returns, when a concurrent request took a name first */
export async function refusingDuplicates<T>(refuse: Refuse, change: () => Promise<T>): Promise<T> {
  try {
    return await change()
  } catch (error) {
    const found = duplicateError(error)
    throw found instanceof ApiError && found.status === 409 ? refuse(String(found.body.message)) : found
  }
}
