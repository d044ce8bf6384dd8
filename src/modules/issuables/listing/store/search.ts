import { type SearchedColumn, searchFor } from '../../../../infra/database/index.ts'
import { searchTerms } from '../search-terms.ts'
import type { FilterOf } from './filter.ts'

/** `search` and `in` (contract 16, Filters): every term occurs in the title or the description, whatever its case. */
export const bySearch: FilterOf<{ search?: string; in?: readonly SearchedColumn[] }> = ({ db, target }, params) => {
  const { search = '', in: columns = [] } = params
  const terms = searchTerms(search)
  if (terms.length === 0) return []
  const searched: readonly SearchedColumn[] = columns.length === 0 ? ['title', 'description'] : columns
  return [searchFor(db, target.table, searched, terms)]
}
