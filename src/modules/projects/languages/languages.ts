import type { Oid, Repository } from '../../../infra/git/index.ts'
import { branchName } from '../../../infra/git/index.ts'
import { type Events, enqueue, type Job, type Platform, type Reaction } from '../../../platform/index.ts'
import { openRow, repositoryById, repositoryOfProject } from '../../../platform/repositories/index.ts'
import type { ProjectRow } from '../tables.ts'
import { isVendored, languageDetector } from './detect.ts'
import { countedCommit, type Language, languagesOf, storeLanguages } from './store.ts'

/** Sizes are read in portions of so many files. */
const portion = 1_000
/** Of larger trees the first entries count. A tree may contain itself and have more entries than can be read. */
const mostEntries = 100_000

/** The languages of the files of a commit, by their bytes. */
async function count(repository: Repository, commit: Oid, signal?: AbortSignal): Promise<Language[]> {
  const detect = await languageDetector()
  const [found] = (await repository.commits([commit])).values()
  if (!found) return []
  const sizes = new Map<string, number>()
  let files: { oid: Oid; language: string }[] = []
  let seen = 0
  const addSizes = async () => {
    const known = await repository.objectSizes([...new Set(files.map(({ oid }) => oid))])
    for (const { oid, language } of files) sizes.set(language, (sizes.get(language) ?? 0) + (known.get(oid) ?? 0))
    files = []
  }
  for await (const entry of repository.walkTree(found.treeOid, '', signal ? { signal } : {})) {
    seen += 1
    if (seen > mostEntries) break
    const language = entry.type === 'blob' && !isVendored(entry.path) ? detect(entry.name) : null
    if (language !== null) files.push({ oid: entry.oid, language })
    if (files.length === portion) await addSizes()
  }
  await addSizes()
  return [...sizes].filter(([, size]) => size > 0).map(([name, size_bytes]) => ({ name, size_bytes }))
}

/** Counts the languages of the default branch, unless those of its commit are stored. */
async function refresh(platform: Platform, projectId: number, signal?: AbortSignal): Promise<void> {
  const { database } = platform
  const row = await repositoryOfProject(database.read, projectId)
  if (!row) return
  const repository = await openRow(platform, row)
  const snapshot = await repository.refs(row.generation)
  const commit = snapshot.branch(branchName(snapshot.head) ?? '')?.oid
  if (!commit || (await countedCommit(database.read, projectId)) === commit) return
  const languages = await count(repository, commit, signal)
  await database.write((tx) => storeLanguages(tx, projectId, commit, languages))
}

const roundedPercent = (part: number, whole: number) => Math.round((part / whole) * 10_000) / 100

/** The share of each language in percent, the largest first (contract 21, x.projects_languages). */
export async function languageShares(platform: Platform, project: ProjectRow): Promise<Record<string, number>> {
  await refresh(platform, project.id)
  const languages = await languagesOf(platform.database.read, project.id)
  const total = languages.reduce((sum, { size_bytes }) => sum + size_bytes, 0)
  return Object.fromEntries(languages.map(({ name, size_bytes }) => [name, roundedPercent(size_bytes, total)]))
}

/** Counts the languages after a push, so that lists find the project by them. */
export const countLanguagesJob: Job<{ repositoryId: number }> = {
  kind: 'projects.count_languages',
  async run(platform, { repositoryId }, { signal }) {
    const row = await repositoryById(platform.database.read, repositoryId)
    if (row?.kind === 'project' && row.project_id !== null) await refresh(platform, row.project_id, signal)
  },
}

export const countLanguagesLater: Reaction<Events['refs.pushed']> = async (platform, tx, { repositoryId }) => {
  await enqueue(platform, tx, countLanguagesJob, { repositoryId }, { uniqueKey: String(repositoryId) })
}
