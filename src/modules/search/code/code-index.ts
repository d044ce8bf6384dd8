import { join } from 'node:path'
import type { Oid, Repository } from '../../../infra/git/index.ts'
import { type Entry, findTexts, isIndexable, versionOfTexts, writeTextIndex } from '../../../infra/text-index/index.ts'
import { type Events, enqueue, type Job, type Platform, type Reaction } from '../../../platform/index.ts'
import {
  type OpenedRepository,
  openRow,
  type RepositoryRow,
  repositoryById,
} from '../../../platform/repositories/index.ts'
import { resolveRevision } from '../../commits/index.ts'
import { searchableContent } from './files.ts'

/** Larger trees have no index. */
const mostFiles = 500_000

const directoryOf = (repository: Repository): string => join(repository.derivedDirectory, 'search')

/** Whether the files of a repository have an index: searches of small ones read them all. */
const isLarge = ({ config }: Platform, row: Pick<RepositoryRow, 'kind' | 'size_bytes'>): boolean =>
  row.kind === 'project' && row.size_bytes >= config.searchIndexBytes

/** The files of a commit, until there are too many. @throws GitError `aborted` */
async function* filesOf(repository: Repository, commit: Oid, signal: AbortSignal): AsyncGenerator<Entry> {
  const tree = (await repository.commits([commit])).get(commit)?.treeOid
  if (!tree) return
  let count = 0
  for await (const { type, path, oid } of repository.walkTree(tree, '', { signal })) {
    if (type !== 'blob') continue
    count += 1
    if (count > mostFiles) throw new TooManyFiles()
    yield { name: path, key: oid }
  }
}

/** Ends the writing of an index of a tree that is too large for one. */
class TooManyFiles extends Error {}

/** Brings the index of a repository to its default branch. A push during the run makes the next search enqueue it again. */
export const indexCodeJob: Job<{ repositoryId: number }> = {
  kind: 'search.index_code',
  queue: 'maintenance',
  async run(platform, { repositoryId }, { signal }) {
    const row = await repositoryById(platform.database.read, repositoryId)
    if (!row || !isLarge(platform, row)) return
    const repository = await openRow(platform, row)
    const commit = await resolveRevision({ repository, snapshot: await repository.refs(row.generation) }, 'HEAD')
    if (!commit) return
    const contentOf = (key: string) => searchableContent(repository, key)
    const texts = filesOf(repository, commit, signal)
    try {
      await writeTextIndex(directoryOf(repository), { version: commit, texts, contentOf, now: platform.clock.now() })
    } catch (error) {
      const isGone = (await repositoryById(platform.database.read, repositoryId)) === null
      if (!isGone && !(error instanceof TooManyFiles)) throw error
    }
  },
}

/** Renews the index of a large repository after a push. */
export const indexCodeLater: Reaction<Events['refs.pushed']> = async (platform, tx, { repositoryId }) => {
  const row = await repositoryById(tx, repositoryId)
  if (row && isLarge(platform, row)) {
    await enqueue(platform, tx, indexCodeJob, { repositoryId }, { uniqueKey: String(repositoryId) })
  }
}

/** A repository in which a search looks, with the commit that it searches. */
type Searched = OpenedRepository & { commit: Oid }

/**
 * Yields the files of a commit in whose name or content a phrase may be, some at a time.
 * @returns null where no index tells it: of a small repository, another branch, a phrase below three characters, or not yet. An index
 *   that is missing is made for the next search
 */
export async function indexedFiles(
  platform: Platform,
  { row, repository, snapshot, commit }: Searched,
  phrase: string,
): Promise<AsyncGenerator<Entry[]> | null> {
  if (!isLarge(platform, row) || !(phrase === '' || isIndexable(phrase))) return null
  const found = await findTexts(directoryOf(repository), commit, phrase)
  if (!found && commit === (await resolveRevision({ repository, snapshot }, 'HEAD'))) {
    await platform.database.write((tx) =>
      enqueue(platform, tx, indexCodeJob, { repositoryId: row.id }, { uniqueKey: String(row.id) }),
    )
  }
  return found
}

/** The commit of the index of a repository; null where none is. */
export const versionOfIndex = (repository: Repository): Promise<string | null> =>
  versionOfTexts(directoryOf(repository))
