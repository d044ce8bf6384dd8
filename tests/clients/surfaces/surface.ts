/**
 * What a client can send, compared with what the server has. A request is `METHOD /path`: the path below `/api/v4`, with `:` for what the
 * caller fills in, such as `GET /projects/:/repository/archive.:`. `root:/path` is not below `/api/v4`.
 */
import { buildRouter } from '../../../src/api/http/router.ts'
import type { Operation } from '../../../src/api/index.ts'
import { modules } from '../../../src/modules.ts'

/** Requests that the server leaves out on purpose, and why. `*` is any method; a path that ends in `/**` has all below it, too. */
export type LeftOut = { requests: readonly string[]; because: string }

export type Comparison = {
  /** Requests that an operation takes. */
  served: readonly string[]
  /** Requests that no operation takes, and that are listed. */
  leftOut: readonly string[]
  /** Requests that no operation takes, and that are not listed. */
  absent: readonly string[]
}

/** The operations of the server. */
export const mounted: readonly Operation[] = modules.flatMap(({ operations }) => operations)

/** Path parameters that stand for words, which clients have as a fixed part of a path. */
const words = new Set(['slug', 'suffix', 'suffix_path', 'type'])

/** What stands for each `:`. A number that is nothing else in a path. */
const filled = '4242'

/** @returns whether the server has an operation for a request */
export function serving(operations: readonly Operation[]): (request: string) => boolean {
  const router = buildRouter(operations)
  return (request) => {
    const [method = '', path = ''] = request.split(' ')
    const below = path.startsWith('root:') ? path.slice('root:'.length) : `/api/v4${path}`
    const found = router.find(method, below.replaceAll(':', filled))
    if (!found?.operation) return false
    // A fixed part of the client's path that falls into a parameter is another route of servers that have it.
    return Object.entries(found.params).every(([name, value]) => words.has(name) || !/[a-z]/i.test(value))
  }
}

/** @returns whether a request is one of those that a listed one names */
export function isNamed(request: string, listed: string): boolean {
  const [method = '', path = ''] = request.split(' ')
  const [listedMethod = '', listedPath = ''] = listed.split(' ')
  if (listedMethod !== '*' && listedMethod !== method) return false
  if (!listedPath.endsWith('/**')) return path === listedPath
  const above = listedPath.slice(0, -'/**'.length)
  return path === above || path.startsWith(`${above}/`)
}

export function compare(
  requests: Iterable<string>,
  { isServed, leftOut }: { isServed: (request: string) => boolean; leftOut: readonly LeftOut[] },
): Comparison {
  const listed = leftOut.flatMap((entry) => entry.requests)
  const all = [...new Set(requests)].sort()
  const others = all.filter((request) => !isServed(request))
  const isListed = (request: string) => listed.some((entry) => isNamed(request, entry))
  return {
    served: all.filter(isServed),
    leftOut: others.filter(isListed),
    absent: others.filter((request) => !isListed(request)),
  }
}

/** Listed requests that no client sends, or that the server has by now. */
export function staleOf(leftOut: readonly LeftOut[], unserved: readonly string[]): string[] {
  const listed = leftOut.flatMap(({ requests }) => requests)
  return listed.filter((entry) => !unserved.some((request) => isNamed(request, entry)))
}
