import { invalidPageToken } from '../../api/index.ts'
import { compareByBytes, type RefSnapshot, type Repository, type TagRef } from '../../infra/git/index.ts'
import type { OpenedRepository } from '../../platform/repositories/index.ts'
import { searchMatcher } from '../branches/index.ts'
import type { TagFilter, TagOrder } from './params.ts'
import { compareVersions } from './version-order.ts'

/** The number of objects in memory at once while tags are sorted by date. */
const readAtOnce = 500

/** The date of each tag: the tagger's, or else the commit's; '' for tags with neither. */
async function datesOf(repository: Repository, tags: readonly TagRef[]): Promise<Map<TagRef, string>> {
  const dates = new Map<TagRef, string>()
  for (let from = 0; from < tags.length; from += readAtOnce) {
    const some = tags.slice(from, from + readAtOnce)
    const objects = await repository.tagObjects(some.filter(({ type }) => type === 'tag').map(({ oid }) => oid))
    const dateOf = ({ oid }: TagRef) => objects.get(oid)?.tagger?.date
    const undated = some.filter((tag) => dateOf(tag) === undefined && tag.peeledType === 'commit')
    const commits = await repository.commits(undated.map(({ peeled }) => peeled))
    for (const tag of some) dates.set(tag, dateOf(tag) ?? commits.get(tag.peeled)?.committer.date ?? '')
  }
  return dates
}

async function inOrder({ repository, snapshot }: OpenedRepository, order: TagOrder): Promise<readonly TagRef[]> {
  if (order === 'name') return snapshot.tags
  // The list is sorted by name, and the sort is stable.
  if (order === 'version') return [...snapshot.tags].sort((a, b) => compareVersions(a.name, b.name))
  const dates = await datesOf(repository, snapshot.tags)
  const dateOf = (tag: TagRef) => dates.get(tag) ?? ''
  return [...snapshot.tags].sort((a, b) => compareByBytes(dateOf(a), dateOf(b)))
}

const comparisons: Partial<Record<TagOrder, (a: string, b: string) => number>> = {
  name: compareByBytes,
  version: compareVersions,
}

/** The tags after the one with this name. It may be missing when the order depends on the name alone. */
function tagsAfter(tags: readonly TagRef[], token: string, order: TagOrder, direction: number): readonly TagRef[] {
  const index = tags.findIndex(({ name }) => name === token)
  if (index >= 0) return tags.slice(index + 1)
  const compare = comparisons[order]
  if (!compare) throw invalidPageToken()
  return tags.filter(({ name }) => compare(name, token) * direction > 0)
}

const orders = new WeakMap<RefSnapshot, Map<TagOrder, Promise<readonly TagRef[]>>>()

/** The tags in ascending order. The result is cached for as long as the refs do not change. */
function ordered(opened: OpenedRepository, order: TagOrder): Promise<readonly TagRef[]> {
  const known = orders.get(opened.snapshot) ?? new Map<TagOrder, Promise<readonly TagRef[]>>()
  orders.set(opened.snapshot, known)
  const tags = known.get(order) ?? inOrder(opened, order)
  known.set(order, tags)
  tags.catch(() => known.delete(order))
  return tags
}

/** The name of the newest tag; undefined without tags. */
export async function newestTag(opened: OpenedRepository): Promise<string | undefined> {
  return (await ordered(opened, 'updated')).at(-1)?.name
}

/** The tags that match a filter, in its order (contract 22, x.tags_list). @throws ApiError 400 for a wrong `after` */
export async function filterTags(
  opened: OpenedRepository,
  { order_by: order = 'updated', sort = 'desc', search = '' }: TagFilter,
  after?: string,
): Promise<readonly TagRef[]> {
  const ascending = await ordered(opened, order)
  const sorted = sort === 'asc' ? ascending : ascending.toReversed()
  const rest = after === undefined ? sorted : tagsAfter(sorted, after, order, sort === 'asc' ? 1 : -1)
  if (search.trim() === '') return rest
  const matches = searchMatcher(search)
  return rest.filter(({ name }) => matches(name))
}
