/** Characters of a search that are used; the rest is cut off. */
const longestSearch = 4096

/** Splits a search on whitespace; a phrase in double quotes is one term (contract 16, Filters). */
export function searchTerms(search: string): string[] {
  const used = [...search].slice(0, longestSearch).join('')
  const found = used.matchAll(/"([^"]*)"|([^\s"]+|")/g)
  const terms = [...found].map(([, phrase, word]) => (phrase ?? word ?? '').trim())
  return [...new Set(terms.filter((term) => term !== ''))]
}
