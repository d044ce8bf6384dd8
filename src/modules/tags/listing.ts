import { ApiError } from '../../api/index.ts'
import { compareByBytes, type RefSnapshot, type Repository, type TagRef } from '../../infra/git/index.ts'
import { searchMatcher } from '../branches/index.ts'
import type { OpenedRepository } from '../repositories/index.ts'
import { compareVersions } from './version-order.ts'

export const tagOrders = ['name', 'updated', 'version'] as const
export type TagOrder = (typeof tagOrders)[number]

export type TagFilter = { order_by?: TagOrder; sort?: 'asc' | 'desc'; search?: string }

/** Objects that are held at once while tags are put in order by date. */
const readTogether = 500

/** When each of these tags was made: the tagger's date, or that of the commit; '' for those that have neither. */
async function datesOf(repository: Repository, tags: readonly TagRef[]): Promise<Map<TagRef, string>> {
  const dates = new Map<TagRef, string>()
  for (let from = 0; from < tags.length; from += readTogether) {
    const some = tags.slice(from, from + readTogether)
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
  // The list is by name already, and sorting keeps the order of equals.
  if (order === 'version') return [...snapshot.tags].sort((a, b) => compareVersions(a.name, b.name))
  const dates = await datesOf(repository, snapshot.tags)
  const dateOf = (tag: TagRef) => dates.get(tag) ?? ''
  return [...snapshot.tags].sort((a, b) => (dateOf(a) < dateOf(b) ? -1 : dateOf(a) > dateOf(b) ? 1 : 0))
}

function invalidToken(): ApiError {
  return new ApiError('invalid_page_token', 400, {
    message: '400 Bad request - Invalid page token',
    error: 'Invalid page token',
  })
}

const comparisons: Partial<Record<TagOrder, (a: string, b: string) => number>> = {
  name: compareByBytes,
  version: compareVersions,
}

/** What follows the tag with this name, which need not exist any more unless the order hangs on more than the name. */
function behind(tags: readonly TagRef[], token: string, order: TagOrder, direction: number): readonly TagRef[] {
  const index = tags.findIndex(({ name }) => name === token)
  if (index >= 0) return tags.slice(index + 1)
  const compare = comparisons[order]
  if (!compare) throw invalidToken()
  return tags.filter(({ name }) => compare(name, token) * direction > 0)
}

/** Puts the tags of repositories in order, and remembers the orders of what is there now. */
export function createTagListing() {
  const known = new WeakMap<RefSnapshot, Map<TagOrder, Promise<readonly TagRef[]>>>()

  function ordered(opened: OpenedRepository, order: TagOrder): Promise<readonly TagRef[]> {
    const orders = known.get(opened.snapshot) ?? new Map<TagOrder, Promise<readonly TagRef[]>>()
    known.set(opened.snapshot, orders)
    const tags = orders.get(order) ?? inOrder(opened, order)
    orders.set(order, tags)
    tags.catch(() => orders.delete(order))
    return tags
  }

  /**
   * The tags that a filter leaves, in its order (contract 22, x.tags_list).
   * @param after name of the tag behind which to go on
   * @throws ApiError 400 when there is no such tag to go on behind
   */
  return async (opened: OpenedRepository, filter: TagFilter, after?: string): Promise<readonly TagRef[]> => {
    const { order_by: order = 'updated', sort = 'desc', search = '' } = filter
    const ascending = await ordered(opened, order)
    const sorted = sort === 'asc' ? ascending : ascending.toReversed()
    const rest = after === undefined ? sorted : behind(sorted, after, order, sort === 'asc' ? 1 : -1)
    if (search.trim() === '') return rest
    const matches = searchMatcher(search)
    return rest.filter(({ name }) => matches(name))
  }
}

export type TagListing = ReturnType<typeof createTagListing>
