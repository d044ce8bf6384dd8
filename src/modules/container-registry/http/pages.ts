import { registryProblem } from './problems.ts'

/** The most entries of one answer. */
export const maximumPage = 1000

/**
 * Reads `n`, the number of entries that the client wants (contract 02, x.v2_tags_list).
 * @returns undefined when it is absent; numbers above `maximumPage` as they are
 * @throws RegistryProblem 400 PAGINATION_NUMBER_INVALID
 */
export function readCount(query: URLSearchParams): number | undefined {
  const text = query.get('n')
  if (text === null) return undefined
  if (!/^\d+$/.test(text)) throw countInvalid(text)
  return Number(text)
}

export const countInvalid = (text: string) => registryProblem('PAGINATION_NUMBER_INVALID', { detail: { n: text } })

/** The header that leads to the next page. @param parameters of the query, in order */
export function nextLink(path: string, parameters: Record<string, string>): { Link: string } {
  return { Link: `<${path}?${new URLSearchParams(parameters)}>; rel="next"` }
}
