import type { Actor, AnswerOf, CallOf, Operation } from '../../../api/index.ts'
import type { Platform } from '../../../platform/index.ts'
import type { UserDetail } from './users.ts'

/** Arguments of a field, as the library has read them by their types. */
// biome-ignore lint/suspicious/noExplicitAny: the type of each is in the schema
export type Arguments = Readonly<Record<string, any>>

/** What the query selects of the value of a field. */
export type Selects = {
  /** Whether it selects a field of the value that has one of these names. */
  one(...names: string[]): boolean
  /** Whether it selects a field with the name at any depth. */
  below(name: string): boolean
  /** How many fields it selects at any depth. */
  width(): number
}

/** What an operation answers for a page of its list. */
export type ListAnswer = { items: unknown[]; total?: number | undefined; hasNext?: boolean | undefined; next?: unknown }

/** A list of an operation that has keyset pages by id: it is walked from the newest to the oldest object. */
export type ListById = { operation: Operation; call: Record<string, unknown> }

/** A list that is walked by position, in an order of its own. Pages count from 1. */
export type ListByPosition = { pages(page: number, perPage: number): Promise<ListAnswer> }

/** A list, by the way in which it is walked. */
export type Listing = ListById | ListByPosition | { items: readonly unknown[] }

type PageInfo = { hasNextPage: boolean; hasPreviousPage: boolean; startCursor: string | null; endCursor: string | null }

/** A page of a list, by the fields of the types of connections. */
export type Connection = {
  nodes: readonly unknown[]
  edges: readonly { node: unknown; cursor: string }[]
  pageInfo: PageInfo
  count: number | null
}

/** What the fields of a request read with: by operations of the API, so that each shows what these show to the caller. */
export type Reading = {
  readonly platform: Platform
  readonly actor: Actor
  /**
   * Performs an operation; the same call is performed once.
   * @throws ApiError as the API answers it
   */
  read<O extends Operation>(operation: O, call: CallOf<O>): Promise<AnswerOf<O>>
  /** What an operation answers; null where the caller may not read it, or where there is nothing. */
  find<O extends Operation>(operation: O, call: CallOf<O>): Promise<AnswerOf<O> | null>
  may<O extends Operation>(operation: O, call: CallOf<O>): Promise<boolean>
  /** Reads what no operation shows by itself; it counts as one. @throws Refusal when there are too many, or when the time is over */
  inTurn<T>(run: () => Promise<T>): Promise<T>
  /** A page of a list; null where the caller may not read it. */
  page(listing: Listing, args: Arguments, selects: Selects): Promise<Connection | null>
  /** What is known of a user beyond what other objects show; the users of one moment are read at once. */
  userDetail(id: number): Promise<UserDetail | undefined>
  /** Counts a value of the answer. @throws Refusal when there are too many, or when their texts are too long */
  count(value: unknown): void
  /** Lets other requests run between pages. @param values how many values are made of the page */
  pause(values: number): Promise<void>
  /** The complexity of the query that is run, and its limit. */
  complexity: { score: number; limit: number }
}
