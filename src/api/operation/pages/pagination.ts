import { ApiError, badRequest } from '../errors.ts'
import { carriesCredential, decodedName } from '../parameters/credential-parameters.ts'
import type { RawParameters } from '../parameters/nested-parameters.ts'
import { parameterErrors } from '../parameters/parameter-errors.ts'
import { type Problem, t } from '../parameters/params.ts'

/** Larger totals are neither counted nor sent (contract 00). */
export const maximumTotal = 10_000
const maximumPerPage = 100
const defaultPerPage = 20
const maximumOffset = 50_000

/** A page by its number. */
export type OffsetRequest = { kind: 'offset'; page: number; perPage: number; offset: number; limit: number }

/** A page after the last row of the previous one. */
export type KeysetRequest = {
  kind: 'keyset'
  perPage: number
  limit: number
  orderBy: string
  sort: 'asc' | 'desc'
  /** The ordering values of the last row seen, or undefined for the first page. */
  after: unknown[] | undefined
}

export type PageRequest = OffsetRequest | KeysetRequest

/** What a list supports besides pages by number. */
export type ListOptions = {
  /** `order_by` values for which `pagination=keyset` works, with their allowed directions. */
  keyset?: Record<string, readonly ('asc' | 'desc')[]>
  /** Default of `order_by` and `sort` in a keyset walk. */
  keysetDefault?: { orderBy: string; sort: 'asc' | 'desc' }
  /** The list continues after the name in `page_token` (branches, tags, trees). */
  pageToken?: boolean
  /** The list continues after the name in `last` (tags of images, contract 1.5). The operation declares the parameter. */
  lastName?: boolean
  /** Lists that refuse to skip more than 50,000 rows, with the type's name for the message. */
  offsetLimitOf?: string
  /** Lists that have keyset pages only, of so many rows at the most; a larger `per_page` is refused. */
  keysetOnly?: { largestPage: number }
  /** Totals are never sent. */
  withoutTotal?: boolean
}

/** One page of a list, with what the headers need. */
export type Page<T> = {
  items: T[]
  /** Rows in all; undefined when there are more than `maximumTotal` or the list does not count. */
  total?: number
  /** For lists without a total: whether another page follows. */
  hasNext?: boolean
  /** Parameters of the next page of a keyset walk: the cursor, or the `page_token`. */
  next?: Record<string, string>
}

const numberParam = t.integer()

function pageNumber(raw: RawParameters, name: 'page' | 'per_page', problems: Problem[]): number | undefined {
  const value = raw[name]
  return value === undefined || value === null || value === '' ? undefined : numberParam.read(value, name, problems)
}

function isOrderingValue(value: unknown): boolean {
  return typeof value === 'string' || (typeof value === 'number' && Number.isFinite(value))
}

/** Reads a cursor of an earlier answer. */
function cursorValues(cursor: unknown): unknown[] | undefined {
  if (cursor === undefined || cursor === '') return undefined
  try {
    const values: unknown = JSON.parse(Buffer.from(String(cursor), 'base64url').toString('utf8'))
    if (Array.isArray(values) && values.length > 0 && values.every(isOrderingValue)) return values
  } catch {
    // falls through to the error below
  }
  throw badRequest('invalid cursor')
}

/** The opaque cursor for the ordering values of a page's last row. */
export function cursorFor(values: readonly (string | number)[]): string {
  return Buffer.from(JSON.stringify(values)).toString('base64url')
}

/** 405 where a list has no keyset pagination for the request. */
export function keysetUnavailable(): ApiError {
  const error = 'Keyset pagination is not yet available for this type of request'
  return new ApiError('keyset_unavailable', 405, { error, message: '405 Method Not Allowed' })
}

function idOf(value: unknown): number {
  const id = numberParam.read(value, 'cursor', [])
  if (id === undefined) throw badRequest('invalid cursor')
  return id
}

function keysetRequest(raw: RawParameters, perPage: number, options: ListOptions): KeysetRequest {
  const fallback = options.keysetDefault ?? { orderBy: 'id', sort: 'desc' as const }
  const orderBy = typeof raw.order_by === 'string' && raw.order_by !== '' ? raw.order_by : fallback.orderBy
  const sort = raw.sort === 'asc' || raw.sort === 'desc' ? raw.sort : fallback.sort
  const directions = Object.hasOwn(options.keyset ?? {}, orderBy) ? options.keyset?.[orderBy] : undefined
  if (!directions?.includes(sort)) throw keysetUnavailable()
  const id = raw.id_after ?? raw.id_before
  const byId = orderBy === 'id' && raw.cursor === undefined && id !== undefined
  const after = byId ? [idOf(id)] : cursorValues(raw.cursor)
  return { kind: 'keyset', perPage, limit: perPage, orderBy, sort, after }
}

/** A walk by name: the direction is `asc` unless it is `desc`. */
function walkByName(raw: RawParameters, perPage: number): KeysetRequest {
  if (raw.order_by !== undefined && raw.order_by !== '' && raw.order_by !== 'name') {
    throw parameterErrors([{ name: 'order_by', missing: false, text: 'does not have a valid value' }])
  }
  const after = typeof raw.last === 'string' && raw.last !== '' ? [raw.last] : undefined
  return { kind: 'keyset', perPage, limit: perPage, orderBy: 'name', sort: raw.sort === 'desc' ? 'desc' : 'asc', after }
}

const invalidPerPage = () =>
  parameterErrors([{ name: 'per_page', missing: false, text: 'does not have a valid value' }])

/**
 * Reads the requested page of a list (contract 00, "Offset pagination", "Keyset pagination").
 * @throws ApiError 400 when a number is invalid; 405 when the list has no keyset pagination, or the offset is too large
 */
export function pageRequest(raw: RawParameters, options: ListOptions): PageRequest {
  const problems: Problem[] = []
  const page = Math.max(1, pageNumber(raw, 'page', problems) ?? 1)
  const asked = pageNumber(raw, 'per_page', problems) ?? defaultPerPage
  if (problems.length > 0) throw parameterErrors(problems)
  const { keysetOnly } = options
  if (keysetOnly) {
    if (asked < 1 || asked > keysetOnly.largestPage) throw invalidPerPage()
    return keysetRequest({ cursor: raw.cursor }, asked, options)
  }
  const perPage = asked < 1 ? defaultPerPage : Math.min(asked, maximumPerPage)
  if (raw.pagination === 'keyset') {
    if (options.pageToken) {
      const token = typeof raw.page_token === 'string' && raw.page_token !== '' ? [raw.page_token] : undefined
      return { kind: 'keyset', perPage, limit: perPage, orderBy: 'page_token', sort: 'asc', after: token }
    }
    return options.lastName ? walkByName(raw, perPage) : keysetRequest(raw, perPage, options)
  }
  const offset = (page - 1) * perPage
  if (options.offsetLimitOf && offset > maximumOffset) {
    throw new ApiError('offset_too_large', 405, {
      error:
        `Offset pagination has a maximum allowed offset of ${maximumOffset} for requests that return objects of type ` +
        `${options.offsetLimitOf}. Remaining records can be retrieved using keyset pagination.`,
      message: '405 Method Not Allowed',
    })
  }
  return { kind: 'offset', page, perPage, offset: Math.min(offset, Number.MAX_SAFE_INTEGER), limit: perPage }
}

/** Returns one page of a list that is in memory. */
export function pageOfList<T>(list: readonly T[], request: PageRequest): Page<T> {
  const offset = request.kind === 'offset' ? request.offset : 0
  const total = list.length > maximumTotal ? undefined : list.length
  const items = list.slice(offset, offset + request.limit)
  return { items, total, hasNext: list.length > offset + request.limit }
}

/** The request's own address with other values for some parameters, and never with a credential. */
function address(baseUrl: string, url: string, changes: Record<string, string>): string {
  const mark = url.indexOf('?')
  const path = mark < 0 ? url : url.slice(0, mark)
  const query = mark < 0 ? '' : url.slice(mark + 1)
  const kept = query.split('&').filter((pair) => {
    const name = decodedName(pair.split('=', 1)[0] ?? '')
    return pair !== '' && !carriesCredential(pair) && !Object.hasOwn(changes, name)
  })
  const added = Object.entries(changes).map(([name, value]) => `${name}=${encodeURIComponent(value)}`)
  // Escapes characters that would end the address in the header.
  return `${baseUrl}${path}?${[...kept, ...added].join('&')}`.replace(/[<>"]/g, encodeURIComponent)
}

/**
 * Clients limit the size of headers, often to 16 KiB, and each link repeats the query. The link to the next page is
 * sent in any case.
 */
const maximumLinkLength = 8 * 1024

function linkHeader(links: readonly string[]): Record<string, string> {
  const all = links.join(', ')
  if (all.length <= maximumLinkLength) return { Link: all }
  const next = links.find((text) => text.endsWith('; rel="next"'))
  return next === undefined ? {} : { Link: next }
}

/** The pagination headers of a list: links and numbers (contract 00). */
export function pageHeaders(
  page: Omit<Page<unknown>, 'items'>,
  request: PageRequest,
  baseUrl: string,
  url: string,
): Record<string, string> {
  const link = (rel: string, changes: Record<string, string>) => `<${address(baseUrl, url, changes)}>; rel="${rel}"`
  const perPage = String(request.perPage)
  if (request.kind === 'keyset') {
    return page.next ? { Link: link('next', { ...page.next, per_page: perPage, pagination: 'keyset' }) } : {}
  }
  const { total } = page
  const pages = total === undefined ? undefined : Math.max(1, Math.ceil(total / request.perPage))
  const hasNext = pages === undefined ? (page.hasNext ?? false) : request.page < pages
  const numbered = (rel: string, number: number) => link(rel, { page: String(number), per_page: perPage })
  const links = [
    ...(request.page > 1 ? [numbered('prev', request.page - 1)] : []),
    ...(hasNext ? [numbered('next', request.page + 1)] : []),
    numbered('first', 1),
    ...(pages === undefined ? [] : [numbered('last', pages)]),
  ]
  return {
    ...linkHeader(links),
    'X-Next-Page': hasNext ? String(request.page + 1) : '',
    'X-Page': String(request.page),
    'X-Per-Page': perPage,
    'X-Prev-Page': request.page > 1 ? String(request.page - 1) : '',
    ...(pages === undefined ? {} : { 'X-Total': String(total), 'X-Total-Pages': String(pages) }),
  }
}
