import type { Commit, Oid, Repository } from '../../../infra/git/index.ts'
import { changelogProblem } from './problem.ts'

/** A commit in the changelog. */
export type Entry = { oid: Oid; title: string; category: string; authorEmail: string; trailers: Record<string, string> }

const maximumCommits = 15_000
const maximumEntryLength = 8 * 1024 * 1024
const commitsAtOnce = 50

const revertText = /This reverts commit ([0-9a-f]{64}|[0-9a-f]{40})/g

/** The last value of each trailer. Without a prototype, since names are data. */
function trailersOf(commit: Commit): Record<string, string> {
  const trailers: Record<string, string> = Object.create(null)
  for (const { key, value } of commit.trailers) trailers[key] = value
  return trailers
}

function entryOf(commit: Commit, trailer: string): Entry | null {
  const wanted = trailer.toLowerCase()
  const category = commit.trailers.findLast(({ key }) => key.toLowerCase() === wanted)?.value
  if (!category) return null
  const { oid, title, author } = commit
  return { oid, title, category, authorEmail: author.email, trailers: trailersOf(commit) }
}

const lengthOf = ({ title, trailers }: Entry) =>
  Object.entries(trailers).reduce((sum, [key, value]) => sum + key.length + value.length, title.length)

/**
 * The commits that `to` has and `from` has not, and that have the trailer, newest first, without those that are reverted within the range. A reverted
 * revert does not count.
 * @throws ApiError 422 for too many commits
 */
export async function entriesOf(repository: Repository, range: { from: Oid; to: Oid }, trailer: string) {
  const oids = await repository.log({ tips: [range.to], excluded: [range.from], limit: maximumCommits + 1 })
  if (oids.length > maximumCommits) throw changelogProblem(`the range has more than ${maximumCommits} commits`)
  const entries: Entry[] = []
  const reverted = new Set<string>()
  let length = 0
  for (let start = 0; start < oids.length; start += commitsAtOnce) {
    const page = oids.slice(start, start + commitsAtOnce)
    const commits = await repository.commits(page)
    for (const commit of page.flatMap((oid) => commits.get(oid) ?? [])) {
      if (reverted.has(commit.oid)) continue
      for (const [, oid = ''] of commit.message.matchAll(revertText)) reverted.add(oid)
      const entry = entryOf(commit, trailer)
      if (!entry) continue
      length += lengthOf(entry)
      if (length > maximumEntryLength) throw changelogProblem('it is too large')
      entries.push(entry)
    }
  }
  return entries
}

/** Entries by category, in order of first appearance. */
export function byCategory(entries: readonly Entry[], titles: ReadonlyMap<string, string>): Map<string, Entry[]> {
  return Map.groupBy(entries, ({ category }) => titles.get(category) || category)
}
