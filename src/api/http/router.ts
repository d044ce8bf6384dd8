import { badRequest } from '../operation/errors.ts'
import type { Method, Operation } from '../operation/operation.ts'

type Node = {
  fixed: Map<string, Node>
  /** The child for a parameter; the names belong to the operations, since they differ. */
  any: Node | undefined
  /** The child for a parameter that may take several segments. */
  spanning: Node | undefined
  /** Children for a segment that begins with fixed text, such as `archive.:format`. */
  prefixed: { prefix: string; node: Node }[]
  operations: Map<string, { operation: Operation; names: string[] }>
}

/** An operation, with the decoded parameters of its path. */
export type Found = { operation: Operation; params: Record<string, string> }

/** What the router found: an operation, or the methods of a path that has other ones. */
type Match = Found | { operation: undefined; allowed: string[] }

/** Finds the operation of a request. */
export type Router = { find(method: string, path: string): Match | undefined }

function emptyNode(): Node {
  return { fixed: new Map(), any: undefined, spanning: undefined, prefixed: [], operations: new Map() }
}

function child(node: Node, segment: string, isSpanning: boolean): Node {
  const colon = segment.indexOf(':')
  if (colon === 0 && isSpanning) {
    node.spanning ??= emptyNode()
    return node.spanning
  }
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

function add(root: Node, operation: Operation, ownPath: string): void {
  const path = operation.root ? ownPath : `/api/v4${ownPath}`
  let node = root
  const names: string[] = []
  for (const segment of path.slice(1).split('/')) {
    const name = segment.includes(':') ? segment.slice(segment.indexOf(':') + 1) : null
    if (name !== null) names.push(name)
    node = child(node, segment, name !== null && (operation.spanning?.includes(name) ?? false))
  }
  if (node.operations.has(operation.method)) throw new Error(`${operation.method} ${path} is declared twice`)
  node.operations.set(operation.method, { operation, names })
}

/** Called for each node that a path leads to, fixed segments before parameters, until it returns something. */
type Visit<Result> = (node: Node, values: readonly string[]) => Result | undefined

/** `values` holds the parameters on the way to `node`, and is changed in place. */
function visitAll<Result>(
  node: Node,
  segments: readonly string[],
  at: number,
  values: string[],
  visit: Visit<Result>,
): Result | undefined {
  const segment = segments[at]
  if (segment === undefined) return visit(node, values)
  const fixed = node.fixed.get(segment)
  const found = fixed && visitAll(fixed, segments, at + 1, values, visit)
  if (found) return found
  for (const { prefix, node: below } of node.prefixed) {
    if (!segment.startsWith(prefix) || segment.length === prefix.length) continue
    values.push(segment.slice(prefix.length))
    const found = visitAll(below, segments, at + 1, values, visit)
    if (found) return found
    values.pop()
  }
  if (node.any && segment !== '') {
    values.push(segment)
    const below = visitAll(node.any, segments, at + 1, values, visit)
    if (below) return below
    values.pop()
  }
  return node.spanning && visitSpanning(node.spanning, segments, at, values, visit)
}

/** Gives a parameter one segment, then two, and so on, until something is found. */
function visitSpanning<Result>(
  node: Node,
  segments: readonly string[],
  at: number,
  values: string[],
  visit: Visit<Result>,
): Result | undefined {
  const isLast = node.fixed.size === 0 && !node.any && !node.spanning && node.prefixed.length === 0
  for (let end = isLast ? segments.length : at + 1; end <= segments.length; end += 1) {
    // Only a segment that follows by its text, or another parameter, can end the parameter before the end of the path.
    if (end < segments.length && !node.any && !node.fixed.has(segments[end] ?? '')) continue
    values.push(segments.slice(at, end).join('/'))
    const found = visitAll(node, segments, end, values, visit)
    if (found) return found
    values.pop()
  }
  return undefined
}

function decodeSegment(segment: string): string {
  let text = segment
  try {
    if (segment.includes('%')) text = decodeURIComponent(segment)
  } catch {
    throw badRequest('invalid URI')
  }
  return requireName(text)
}

/** A parameter of a path. No name contains U+0000, and PostgreSQL rejects it in queries. @throws ApiError 400 */
export function requireName(text: string): string {
  if (text.includes('\u0000')) throw badRequest('invalid URI')
  return text
}

/** @throws ApiError 400 when a parameter is not UTF-8 */
function paramsOf(names: readonly string[], values: readonly string[]): Record<string, string> {
  const params: Record<string, string> = {}
  for (const [index, name] of names.entries()) params[name] = decodeSegment(values[index] ?? '')
  return params
}

/** HEAD uses the GET operation, unless the path has a HEAD operation. */
function lookUp(node: Node, method: string) {
  return node.operations.get(method) ?? (method === 'HEAD' ? node.operations.get('GET') : undefined)
}

const order: (Method | 'OPTIONS')[] = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE']

/**
 * Builds the router of a list of operations. It matches the raw path: an encoded slash does not separate segments, and
 * each parameter is decoded once afterwards (contract 00, "Path parameters"). A trailing slash is accepted.
 */
export function buildRouter(operations: readonly Operation[]): Router {
  const root = emptyNode()
  for (const operation of operations) {
    for (const path of [operation.path, ...(operation.otherPaths ?? [])]) add(root, operation, path)
  }
  return {
    find(method, path) {
      const trimmed = path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
      const allowed: string[] = []
      const found = visitAll(root, trimmed.slice(1).split('/'), 0, [], (node, values) => {
        const match = lookUp(node, method)
        if (match) return { operation: match.operation, params: paramsOf(match.names, values) }
        allowed.push(...node.operations.keys())
        return undefined
      })
      if (found) return found
      if (allowed.length === 0) return undefined
      if (allowed.includes('GET')) allowed.push('HEAD')
      return { operation: undefined, allowed: [...order.filter((name) => allowed.includes(name)), 'OPTIONS'] }
    },
  }
}
