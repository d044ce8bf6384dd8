import { badRequest, limitRequests, type Page } from '../../api/index.ts'
import { findBlobs, findWikiBlobs } from './code/blobs.ts'
import { findCommits } from './code/commits.ts'
import { findNotesFor } from './notes.ts'
import type { SearchScope } from './params.ts'
import * as rows from './rows.ts'
import type { Search } from './types.ts'

const mostCharacters = 4_096
const mostWords = 64

/** How each scope is searched. */
const scopes: Readonly<Record<SearchScope, (search: Search) => Promise<Page<object>>>> = {
  projects: rows.findProjects,
  issues: rows.findIssues,
  merge_requests: rows.findMergeRequests,
  milestones: rows.findMilestones,
  users: rows.findUsers,
  snippet_titles: rows.findSnippets,
  notes: findNotesFor,
  commits: findCommits,
  blobs: findBlobs,
  wiki_blobs: findWikiBlobs,
}

/** The words of a search. @throws ApiError 400 for too many */
function termsOf(text: string): string[] {
  const words = text.split(/\s+/).filter((word) => word !== '')
  if (text.length > mostCharacters || words.length > mostWords) throw badRequest('search is too long')
  return [...new Set(words)]
}

/**
 * A page of what a caller finds in a scope (contract 25, x.search, x.group_search, x.project_search).
 * @throws ApiError 400, 429
 */
export async function search(scope: SearchScope, asked: Omit<Search, 'terms'>): Promise<Page<object>> {
  const terms = termsOf(asked.params.search)
  if (terms.length === 0) return { items: [], total: 0 }
  const { search_rate_limit: requests } = await asked.platform.settings.current()
  await limitRequests(asked.platform, asked.actor.userId, { name: 'search', requests, periodSeconds: 60 })
  return scopes[scope]({ ...asked, terms })
}
