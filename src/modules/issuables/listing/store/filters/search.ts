import { type FilterAmong, type SearchedColumn, searchFor } from '../../../../../infra/database/index.ts'
import type { IssuableContext } from '../../context.ts'

/** Characters of a search that are used; the rest is cut off. */
const longestSearch = 4096

/** Splits a search on whitespace; a phrase in double quotes is one term (contract 16, Filters). */
function termsOf(search: string): string[] {
  const used = [...search].slice(0, longestSearch).join('')
  const found = used.matchAll(/"([^"]*)"|([^\s"]+|")/g)
  const terms = [...found].map(([, phrase, word]) => (phrase ?? word ?? '').trim())
  return [...new Set(terms.filter((term) => term !== ''))]
}

/** `search` and `in` (contract 16, Filters): every term occurs in the title or the description, whatever its case. */
export const search: FilterAmong<IssuableContext, string, object> = ({ db, table }, text, params) => {
  const { in: columns = [] }: { in?: readonly SearchedColumn[] } = params
  const terms = termsOf(text)
  if (terms.length === 0) return []
  return searchFor(db, table, columns.length === 0 ? ['title', 'description'] : columns, terms)
}
