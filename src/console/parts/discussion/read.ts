import type { Operation } from '../../../api/index.ts'
import { valuesByKey } from '../../../infra/grouping/index.ts'
import type { AwardObject, DiscussionObject } from '../../operations.ts'
import type { Visit } from '../../page.ts'
import type { Conversation } from './conversation.ts'
import type { Review } from './drafts.tsx'
import { type EventGroup, type EventObject, groupEvents } from './events.tsx'

type Listed<T> = { items: T[]; total?: number; hasNext?: boolean }
type Call = Record<string, string | number>

const perPage = 50
const eventsPerPage = 100
/** Lists of changes are read up to here. */
const mostEventPages = 5

/** A discussion, or what was changed between two of them. */
export type Entry = { at: string; discussion: DiscussionObject } | { at: string; group: EventGroup }

/** A page of the discussion of an object, with what the caller may do. */
export type Talk = Rights & {
  conversation: Conversation
  /** What the caller writes to publish it later; null where that cannot be done. */
  review?: Review | null
  /** The parameters that name the object. */
  call: Call
  entries: readonly Entry[]
  pages: { page: number; hasNext: boolean; last: number }
  /** Reactions to the object itself; those to its comments have its id. */
  awards: readonly AwardObject[]
  noteAwards: ReadonlyMap<number, readonly AwardObject[]>
}

/** What the caller may do in a discussion. */
type Rights = {
  mayComment: boolean
  mayResolve: boolean
  /** Change and delete the comments of others. */
  mayModerate: boolean
}

/** Reads what the caller may do in the discussion of an object. */
export async function rightsIn(
  visit: Visit,
  { comment, resolve, delete: remove }: Conversation,
  call: Call,
): Promise<Rights> {
  const [mayComment, mayResolve, mayModerate] = await Promise.all([
    visit.may(comment, call),
    resolve ? visit.may(resolve, call) : false,
    visit.may(remove, call),
  ])
  return { mayComment, mayResolve, mayModerate }
}

const hasMore = ({ hasNext, total, items }: Listed<unknown>, page: number, size: number) =>
  hasNext ?? (total === undefined ? items.length === size : page * size < total)

/** The changes of one kind up to a time. */
async function eventsUntil(visit: Visit, list: Operation, call: Call, end: string): Promise<EventGroup[]> {
  const [, kind = ''] = /_([a-z]+)_events\./.exec(list.id) ?? []
  const events: EventObject[] = []
  for (let page = 1; page <= mostEventPages; page += 1) {
    const found = (await visit.find(list, { ...call, page, per_page: eventsPerPage })) as Listed<EventObject> | null
    events.push(...(found?.items ?? []))
    if (!found || !hasMore(found, page, eventsPerPage) || (events.at(-1)?.created_at ?? end) >= end) break
  }
  return groupEvents(kind, events)
}

const endOfTime = '9999'

const inTime = <T extends { at: string }>(entries: readonly T[]): T[] =>
  [...entries].sort((one, other) => (one.at < other.at ? -1 : one.at > other.at ? 1 : 0))

const timeOf = ({ notes }: DiscussionObject) => notes[0]?.created_at ?? ''

/** When the first discussion of the next page began; what was changed before stands on this page. */
async function startOfNext(visit: Visit, { list }: Conversation, call: Call, page: number): Promise<string> {
  const next = (await visit.read(list, { ...call, page: page * perPage + 1, per_page: 1 })) as Listed<DiscussionObject>
  return next.items[0] ? timeOf(next.items[0]) : endOfTime
}

/** Reads the first hundred awards of an object, or of all comments of one. */
async function awardsOf(visit: Visit, list: Operation | undefined, call: Call): Promise<AwardObject[]> {
  const found = list && ((await visit.find(list, { ...call, per_page: 100 })) as Listed<AwardObject> | null)
  return found?.items ?? []
}

/** Reads the reactions to the comments of an object, by the ids of the comments. */
export async function readNoteAwards(
  visit: Visit,
  { noteAwards }: Conversation,
  call: Call,
): Promise<Talk['noteAwards']> {
  return valuesByKey(
    await awardsOf(visit, noteAwards?.list, call),
    ({ awardable_id: id }) => id ?? 0,
    (award) => award,
  )
}

/** Reads a page of the discussion of an object, in the order of time; null where the caller may not. */
export async function readTalk(visit: Visit, conversation: Conversation, call: Call): Promise<Talk | null> {
  const { number: page } = visit
  const { list, events, awards } = conversation
  const found = (await visit.find(list, { ...call, page, per_page: perPage })) as Listed<DiscussionObject> | null
  if (!found) return null
  const hasNext = hasMore(found, page, perPage)
  const end = hasNext ? await startOfNext(visit, conversation, call, page) : endOfTime
  const start = page > 1 && found.items[0] ? timeOf(found.items[0]) : ''
  const [groups, ownAwards, noteAwards, rights] = await Promise.all([
    Promise.all(events.map((one) => eventsUntil(visit, one, call, end))),
    awardsOf(visit, awards?.list, call),
    readNoteAwards(visit, conversation, call),
    rightsIn(visit, conversation, call),
  ])
  const changes = groups.flat().filter(({ at }) => at >= start && at < end)
  const entries: Entry[] = [
    ...found.items.map((discussion) => ({ at: timeOf(discussion), discussion })),
    ...changes.map((group) => ({ at: group.at, group })),
  ]
  return {
    ...{ conversation, call, ...rights },
    entries: inTime(entries),
    pages: { page, hasNext, last: Math.max(page, Math.ceil(((found.total ?? 0) + 1) / perPage)) },
    awards: ownAwards,
    noteAwards,
  }
}
