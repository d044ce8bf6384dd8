import { badRequest } from '../operation/errors.ts'
import type { Method, Operation } from '../operation/operation.ts'

type Node = {
  fixed: Map<string, Node>
  /** The child for a parameter; its names differ per operation, so they are kept with the operation. */
  any: Node | undefined
  /** Children for a segment that begins with fixed text, such as `archive.:format`. */
  prefixed: { prefix: string; node: Node }[]
  operations: Map<string, { operation: Operation; names: string[] }>
}

/** What the router found: an operation with its path parameters, or the methods that the path does know. */
export type Match =
  | { operation: Operation; params: Record<string, string> }
  | { operation: undefined; allowed: string[] }

export type Router = { find(method: string, path: string): Match | undefined }

function emptyNode(): Node {
  return { fixed: new Map(), any: undefined, prefixed: [], operations: new Map() }
}

function child(node: Node, segment: string): Node {
  const colon = segment.indexOf(':')
  if (colon === 0) {
    node.any ??= emptyNode()
    return node.any
  }
  if (colon > 0) {
    const prefix = segment.slice(0, colon)
    const known = node.prefixed.find((entry) => entry.prefix === prefix)
    if (known) return known.node
    const added = emptyNode()
    node.prefixed.push({ prefix, node: added })
    return added
  }
  let next = node.fixed.get(segment)
  if (!next) {
    next = emptyNode()
    node.fixed.set(segment, next)
  }
  return next
}

function add(root: Node, operation: Operation): void {
  const path = operation.root ? operation.path : `/api/v4${operation.path}`
  let node = root
  const names: string[] = []
  for (const segment of path.slice(1).split('/')) {
    if (segment.includes(':')) names.push(segment.slice(segment.indexOf(':') + 1))
    node = child(node, segment)
  }
  if (node.operations.has(operation.method)) throw new Error(`${operation.method} ${path} is declared twice`)
  node.operations.set(operation.method, { operation, names })
}

/** The nodes that a path leads to are visited, fixed text before parameters, until one is what was looked for. */
type Visit<Found> = (node: Node, values: readonly string[]) => Found | undefined

function visitAll<Found>(
  node: Node,
  segments: readonly string[],
  values: readonly string[],
  visit: Visit<Found>,
  at = 0,
): Found | undefined {
  const segment = segments[at]
  if (segment === undefined) return visit(node, values)
  const next = at + 1
  const fixed = node.fixed.get(segment)
  const found = fixed && visitAll(fixed, segments, values, visit, next)
  if (found) return found
  for (const { prefix, node: below } of node.prefixed) {
    if (!segment.startsWith(prefix) || segment.length === prefix.length) continue
    const found = visitAll(below, segments, [...values, segment.slice(prefix.length)], visit, next)
    if (found) return found
  }
  return node.any && segment !== '' ? visitAll(node.any, segments, [...values, segment], visit, next) : undefined
}

function decodeSegment(segment: string): string {
  let text = segment
  try {
    if (segment.includes('%')) text = decodeURIComponent(segment)
  } catch {
    throw badRequest('invalid URI')
  }
  // No name holds U+0000, and not every database could even be asked for one.
  if (text.includes('\u0000')) throw badRequest('invalid URI')
  return text
}

/** GET answers HEAD as well, unless the path has a HEAD of its own. */
function lookUp(node: Node, method: string) {
  return node.operations.get(method) ?? (method === 'HEAD' ? node.operations.get('GET') : undefined)
}

const order: (Method | 'OPTIONS')[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Routes on the raw path: an encoded slash never separates segments, and each parameter is decoded exactly once
 * afterwards (contract 00, "Path parameters"). One trailing slash is accepted. Routers of frameworks decode first.
 */
export function buildRouter(operations: readonly Operation[]): Router {
  const root = emptyNode()
  for (const operation of operations) add(root, operation)
  return {
    find(method, path) {
      const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
      const allowed = new Set<string>()
      const found = visitAll(root, trimmed.slice(1).split('/'), [], (node, values) => {
        const match = lookUp(node, method)
        if (match) return { ...match, values }
        for (const known of node.operations.keys()) allowed.add(known)
        return undefined
      })
      if (found) {
        const entries = found.names.map((name, index) => [name, decodeSegment(found.values[index] ?? '')] as const)
        return { operation: found.operation, params: Object.fromEntries(entries) }
      }
      if (allowed.size === 0) return undefined
      if (allowed.has('GET')) allowed.add('HEAD')
      return { operation: undefined, allowed: [...order.filter((name) => allowed.has(name)), 'OPTIONS'] }
    },
  }
}
