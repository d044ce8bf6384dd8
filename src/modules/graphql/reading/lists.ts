import type { Operation } from '../../../api/index.ts'
import { isHidden, Refusal } from '../refusal.ts'
import type { Arguments, Connection, ListAnswer, ListById, ListByPosition, Listing, Reading, Selects } from './types.ts'

/** The list of an operation without keyset pages by id. */
export const byPosition = (reading: Reading, operation: Operation, call: Record<string, unknown>): ListByPosition => ({
  pages: (page, per_page) => reading.read(operation, { ...call, page, per_page }) as Promise<ListAnswer>,
})

/** What the caller asked for: from the beginning or from the end, how many, and between which places. */
type Range = { isBackward: boolean; limit: number; after: number | undefined; before: number | undefined }

/** Objects with their places, which cursors contain: ids, or positions from 1. */
type Found = { items: readonly { node: unknown; place: number }[]; hasMore: boolean }

const mostItems = 100

const cursorOf = (place: number) => Buffer.from(JSON.stringify({ at: place })).toString('base64url')

/** @throws Refusal */
function placeIn(cursor: unknown): number | undefined {
  if (cursor === undefined || cursor === null || cursor === '') return undefined
  try {
    const { at } = JSON.parse(Buffer.from(String(cursor), 'base64url').toString('utf8'))
    if (Number.isSafeInteger(at) && at >= 0) return at
  } catch {
    // Said below.
  }
  throw new Refusal('Please provide a valid cursor')
}

/** @throws Refusal */
function rangeOf({ first, last, after, before }: Arguments): Range {
  const isGiven = (value: unknown) => value !== undefined && value !== null
  if (isGiven(first) && isGiven(last)) throw new Refusal('Can only provide either `first` or `last`, not both')
  const limit = first ?? last ?? mostItems
  if (limit < 0) throw new Refusal('`first` and `last` must not be negative')
  return {
    isBackward: isGiven(last),
    limit: Math.min(limit, mostItems),
    after: placeIn(after),
    before: placeIn(before),
  }
}

/** The order of places in a list is from the newest to the oldest object: the larger id comes first. */
async function pageById(
  reading: Reading,
  { operation, call }: ListById,
  { isBackward, limit, after, before }: Range,
): Promise<Found> {
  const from = isBackward ? before : after
  const until = isBackward ? after : before
  const place = from === undefined ? {} : { [isBackward ? 'id_after' : 'id_before']: from }
  const order = { pagination: 'keyset', order_by: 'id', sort: isBackward ? 'asc' : 'desc' }
  const answer = (await reading.read(operation, { ...call, ...order, ...place, per_page: limit })) as ListAnswer
  const rows = answer.items as { id: number }[]
  const isBefore = ({ id }: { id: number }) => until === undefined || (isBackward ? id < until : id > until)
  const kept = rows.filter(isBefore)
  const items = kept.map((node) => ({ node, place: node.id }))
  const hasMore = kept.length === rows.length && answer.next !== undefined
  return { items: isBackward ? items.reverse() : items, hasMore }
}

/** The objects at positions `start` to before `end`, by the one or two pages of the operation that have them. */
async function slice({ pages: read }: ListByPosition, start: number, end: number) {
  const size = Math.max(1, Math.min(mostItems, end - start))
  const firstPage = Math.floor(start / size) + 1
  const pages = start % size === 0 ? [firstPage] : [firstPage, firstPage + 1]
  const rows: unknown[] = []
  let hasMore = false
  for (const page of pages) {
    const answer = await read(page, size)
    rows.push(...answer.items)
    hasMore = answer.total === undefined ? (answer.hasNext ?? false) : answer.total > page * size
    if (!hasMore) break
  }
  const offset = start - (firstPage - 1) * size
  const kept = rows.slice(offset, offset + end - start)
  return { kept, hasMore: hasMore || rows.length > offset + kept.length }
}

/** Positions count from 1. */
async function pageByPosition(
  reading: Reading,
  listing: ListByPosition,
  { isBackward, limit, after = 0, before }: Range,
): Promise<Found> {
  const until = before === undefined ? Number.MAX_SAFE_INTEGER : before - 1
  let [start, end] = [after, Math.min(until, after + limit)]
  if (isBackward) {
    const last = before === undefined ? await totalOf(reading, listing) : until
    if (last === null) throw new Refusal('The list is too long for `last` without `before`')
    ;[start, end] = [Math.max(after, last - limit), last]
  }
  if (end <= start) return { items: [], hasMore: false }
  const { kept, hasMore } = await slice(listing, start, end)
  const items = kept.map((node, index) => ({ node, place: start + index + 1 }))
  return { items, hasMore: isBackward ? start > after : hasMore && end < until }
}

function pageInMemory(all: readonly unknown[], { isBackward, limit, after = 0, before }: Range): Found {
  const until = Math.min(all.length, before === undefined ? all.length : before - 1)
  const start = isBackward ? Math.max(after, until - limit) : after
  const end = isBackward ? until : Math.min(until, after + limit)
  const items = all.slice(start, Math.max(start, end)).map((node, index) => ({ node, place: start + index + 1 }))
  return { items, hasMore: isBackward ? start > after : end < until }
}

/** How many objects a list has; null for more than are counted (contract 00). */
async function totalOf(reading: Reading, listing: Listing): Promise<number | null> {
  if ('items' in listing) return listing.items.length
  const { pages } = 'pages' in listing ? listing : byPosition(reading, listing.operation, listing.call)
  return (await pages(1, 1)).total ?? null
}

function findPage(reading: Reading, listing: Listing, range: Range): Promise<Found> | Found {
  if ('items' in listing) return pageInMemory(listing.items, range)
  return 'pages' in listing ? pageByPosition(reading, listing, range) : pageById(reading, listing, range)
}

/**
 * A page of a list, with what the query selects of it; null where the caller may not read it.
 * @throws Refusal for arguments that cannot be used
 */
export async function pageOf(
  reading: Reading,
  listing: Listing,
  args: Arguments,
  selects: Selects,
): Promise<Connection | null> {
  const range = rangeOf(args)
  try {
    const isEmpty = range.limit === 0 || !selects.one('nodes', 'edges', 'pageInfo')
    const { items, hasMore } = isEmpty ? { items: [], hasMore: false } : await findPage(reading, listing, range)
    const count = selects.one('count') || isEmpty ? await totalOf(reading, listing) : null
    await reading.pause(items.length * selects.width())
    const edges = items.map(({ node, place }) => ({ node, cursor: cursorOf(place) }))
    const isBehind = (range.isBackward ? range.before : range.after) !== undefined
    return {
      count,
      edges,
      nodes: items.map(({ node }) => node),
      pageInfo: {
        hasNextPage: range.isBackward ? isBehind : hasMore,
        hasPreviousPage: range.isBackward ? hasMore : isBehind,
        startCursor: edges[0]?.cursor ?? null,
        endCursor: edges.at(-1)?.cursor ?? null,
      },
    }
  } catch (error) {
    if (isHidden(error)) return null
    throw error
  }
}
