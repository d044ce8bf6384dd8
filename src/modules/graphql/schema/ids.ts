import { Refusal } from '../refusal.ts'

/** The id of an object in answers: `gid://gitlab/Project/7`. */
export const typedId = (type: string, id: number | string): string => `gid://gitlab/${type}/${id}`

/**
 * The number in a typed id.
 * @param given what the caller sent
 * @throws Refusal when it is no id of the type
 */
export function numberIn(type: string, given: unknown): number {
  const [, name, digits] = /^gid:\/\/[a-z]+\/([A-Za-z]+)\/(\d{1,15})$/.exec(String(given)) ?? []
  if (name === type && digits !== undefined) return Number(digits)
  throw new Refusal(`"${String(given).slice(0, 100)}" does not represent an instance of ${type}`)
}

/** The first moment of a day. @param day `YYYY-MM-DD` */
export const startOf = (day: string | null | undefined): string | null => (day ? `${day}T00:00:00.000Z` : null)
