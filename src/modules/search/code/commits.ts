import type { Page } from '../../../api/index.ts'
import { pageOfList } from '../../../api/index.ts'
import type { Commit } from '../../../infra/git/index.ts'
import { presentCommit } from '../../commits/index.ts'
import type { Project } from '../../projects/index.ts'
import type { Search } from '../types.ts'
import { withinBounds } from './bounds.ts'
import { repositoriesFor, type SearchedRepository } from './repositories.ts'

const refusal = 'Scope supported only with advanced search'

type FoundCommit = { commit: Commit; project: Project }

/** The commits of a repository with a phrase in the message, and the one whose id begins with it. */
async function commitsIn(
  { repository, snapshot, commit, project }: SearchedRepository,
  phrase: string,
  limit: number,
  signal: AbortSignal,
): Promise<FoundCommit[]> {
  const isId = /^[0-9a-f]{7,40}$/i.test(phrase)
  const named = isId ? await repository.resolveCommit(phrase.toLowerCase(), snapshot) : null
  const oids = await repository.commitsWith(commit, phrase, { limit, signal })
  const found = await repository.commits([...new Set([...(named ? [named] : []), ...oids])])
  return [...found.values()].map((one) => ({ commit: one, project }))
}

/** Commits by a phrase in their message, or by their id (contract 25, "Search"). @throws ApiError 400, 408, 503 */
export async function findCommits(search: Search): Promise<Page<object>> {
  const { platform, params, page } = search
  const { searchHits: most } = platform.config
  const phrase = params.search.trim()
  const found = await withinBounds(platform, async (signal) => {
    const all: FoundCommit[] = []
    for await (const repository of repositoriesFor(search, 'code', refusal)) {
      signal.throwIfAborted()
      if (all.length > most) break
      all.push(...(await commitsIn(repository, phrase, most + 1 - all.length, signal)))
    }
    return all
  })
  const direction = params.sort === 'asc' ? 1 : -1
  const date = ({ commit }: FoundCommit) => Date.parse(commit.committer.date)
  const listed = found.toSorted((left, right) => direction * (date(left) - date(right))).slice(0, most)
  const { total, ...shown } = pageOfList(listed, page)
  const items = shown.items.map(({ commit, project }) => ({
    ...presentCommit(commit, `${platform.externalUrl}/${project.full_path}`),
    project_id: project.id,
  }))
  return { ...shown, items, ...(found.length <= most && { total }) }
}
