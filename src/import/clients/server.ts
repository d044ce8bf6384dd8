import { isObject } from '../../infra/json/index.ts'
import { NotBrought, Refused, type Side } from './errors.ts'
import { type Body, jsonOf, refusalOf, send, type Waiting } from './sending.ts'
import type { Item } from './values.ts'

type Method = 'POST' | 'PUT' | 'DELETE'

export type ServerOptions = {
  side: Side
  /** Of the server, without a slash at its end. */
  url: string
  token: string
  waiting: Waiting
}

type Plain = { method?: string; headers?: Record<string, string>; body?: Body; repeatable?: boolean }

const mostRedirects = 5
const redirects = [301, 302, 303, 307, 308]
const pageSize = 100

/** The query of the page that follows; null on the last one. */
function nextQueryOf(response: Response, present: URL): string | null {
  const [, link] = /<([^>]*)>;\s*rel="?next"?/.exec(response.headers.get('link') ?? '') ?? []
  // The address of the link may be one that only the server itself knows: its query is what counts.
  if (link !== undefined && URL.canParse(link, present.href)) return new URL(link, present).search
  const page = response.headers.get('x-next-page') ?? ''
  if (!/^[1-9][0-9]{0,8}$/.test(page)) return null
  const next = new URL(present)
  next.searchParams.set('page', page)
  return next.search
}

/** A server of the v4 API. Its token goes to this server only: no redirect to another one is followed. */
export class ApiServer {
  readonly side: Side
  readonly url: string
  readonly #token: string
  readonly #waiting: Waiting

  constructor({ side, url, token, waiting }: ServerOptions) {
    this.side = side
    this.url = url
    this.#token = token
    this.#waiting = waiting
  }

  /** For git, LFS and the registry, which take the token as a password. */
  get basic(): string {
    return `Basic ${Buffer.from(`oauth2:${this.#token}`).toString('base64')}`
  }

  /** Whether an address is one of this server. */
  isOwn(url: URL): boolean {
    return url.origin === new URL(this.url).origin
  }

  /**
   * An address that the server names. This server may be reached by another name than the one that it knows itself by; a source is
   * believed only for the address that the operator has given.
   */
  named(url: URL): URL {
    return this.side === 'source' ? url : new URL(`${url.pathname}${url.search}`, this.url)
  }

  /** Whether a header has the token in it, as it is or in Base64. */
  isRevealing(value: string): boolean {
    const decoded = value.split(/\s+/).map((part) => Buffer.from(part, 'base64').toString('utf8'))
    return [value, ...decoded].some((text) => text.includes(this.#token))
  }

  /** Sends a request with these headers, and without the token, to any address. @throws Unreachable, NotBrought */
  sendPlain(url: URL, { method = 'GET', headers = {}, body, repeatable }: Plain = {}): Promise<Response> {
    const isRead = ['GET', 'HEAD'].includes(method)
    return send(this.#waiting, { side: this.side, url, method, headers, body, repeatable: repeatable ?? isRead })
  }

  /** @param headersAt the headers for an address @throws Refused, NotBrought, Unreachable */
  async #follow(url: URL, headersAt: (at: URL) => Record<string, string>): Promise<Response> {
    let at = url
    for (let followed = 0; followed <= mostRedirects; followed += 1) {
      const response = await this.sendPlain(at, { headers: headersAt(at) })
      const location = response.headers.get('location')
      if (!redirects.includes(response.status) || location === null) {
        if (response.ok) return response
        throw await refusalOf(this.side, response)
      }
      await response.body?.cancel()
      if (!URL.canParse(location, at.href)) break
      at = new URL(location, at)
      if (!['http:', 'https:'].includes(at.protocol)) break
    }
    throw new NotBrought('the address redirects to no answer')
  }

  /** Reads an address of the server with the token. @throws Refused, NotBrought, Unreachable */
  open(url: URL): Promise<Response> {
    return this.#follow(url, (at) => {
      if (!this.isOwn(at)) throw new NotBrought(`the address leads to ${at.origin}, where the token is not sent`)
      return { 'PRIVATE-TOKEN': this.#token }
    })
  }

  /** Reads an address without the token. The headers go to its host only. @throws Refused, NotBrought, Unreachable */
  download(url: URL, headers: Record<string, string>): Promise<Response> {
    return this.#follow(url, (at) => (at.origin === url.origin ? headers : {}))
  }

  #address(path: string): URL {
    return new URL(`${this.url}/api/v4${path}`)
  }

  /** Reads an object. @param path below `/api/v4` @throws Refused, NotBrought, Unreachable */
  async get(path: string): Promise<Item> {
    const value = await jsonOf(await this.open(this.#address(path)))
    if (!isObject(value)) throw new NotBrought('the answer is not an object')
    return value
  }

  /** Reads an object that may not exist. */
  async find(path: string): Promise<Item | null> {
    return this.get(path).catch((error) => {
      if (error instanceof Refused && error.status === 404) return null
      throw error
    })
  }

  /**
   * Reads a list page by page. Entries that are not objects are left out, and said at the end.
   * @throws Refused, NotBrought, Unreachable
   */
  async *list(path: string): AsyncGenerator<Item> {
    const seen = new Set<string>()
    const url = this.#address(path)
    url.searchParams.set('per_page', String(pageSize))
    let damaged = 0
    for (let query: string | null = url.search; query !== null; ) {
      if (seen.has(query)) throw new NotBrought('the list has no end: a page leads to one before')
      seen.add(query)
      url.search = query
      const response = await this.open(url)
      const page = await jsonOf(response)
      if (!Array.isArray(page)) throw new NotBrought('the answer is not a list')
      const items = page.filter(isObject)
      damaged += page.length - items.length
      yield* items
      query = page.length === 0 ? null : nextQueryOf(response, url)
    }
    if (damaged > 0) throw new NotBrought(`${damaged} entries of the list are not objects`)
  }

  /**
   * Performs an operation that writes. It is sent once.
   * @param as username in whose name an administrator writes
   * @throws Refused, Unreachable
   */
  async write(method: Method, path: string, body: object = {}, as?: string): Promise<Item> {
    const isForm = body instanceof FormData
    const response = await send(this.#waiting, {
      ...{ side: this.side, url: this.#address(path), method, repeatable: false },
      headers: {
        'PRIVATE-TOKEN': this.#token,
        ...(as === undefined ? {} : { Sudo: as }),
        ...(isForm ? {} : { 'Content-Type': 'application/json' }),
      },
      body: isForm ? body : JSON.stringify(body),
    })
    if (!response.ok) throw await refusalOf(this.side, response)
    if (response.status === 204) return {}
    const value = await jsonOf(response)
    return isObject(value) ? value : {}
  }
}
