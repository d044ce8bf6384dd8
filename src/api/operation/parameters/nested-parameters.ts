import { badRequest } from '../errors.ts'

/**
 * Parameters by name, as received: text, or JSON values. The object has no prototype, so that every name is plain data.
 */
export type RawParameters = { [name: string]: unknown }

const maximumDepth = 32
const maximumPairs = 4_096

/** An object without a prototype: `__proto__` in it is a name like any other. */
export function emptyParameters(): RawParameters {
  return Object.create(null) as RawParameters
}

function isHash(value: unknown): value is RawParameters {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

/** `a[b][][c]` → `['a', 'b', '', 'c']`; a name whose brackets do not close is taken whole. */
function segmentsOf(name: string): string[] {
  const open = name.indexOf('[')
  if (open <= 0 || !name.endsWith(']')) return [name]
  const inner = name.slice(open + 1, -1)
  const segments = [name.slice(0, open), ...inner.split('][')]
  if (segments.length > maximumDepth) throw badRequest('invalid parameters')
  return segments.slice(1).some((segment) => segment.includes('[') || segment.includes(']')) ? [name] : segments
}

/** The element of an array of hashes that the next pair belongs to: a new one starts when its key is there already. */
function currentElement(list: unknown[], rest: string[]): RawParameters {
  const last = list[list.length - 1]
  if (isHash(last) && !holds(last, rest)) return last
  const element = emptyParameters()
  list.push(element)
  return element
}

function holds(hash: RawParameters, [key = '', ...rest]: string[]): boolean {
  const value = hash[key]
  if (value === undefined) return false
  if (rest.length === 0) return true
  return rest[0] === '' ? false : isHash(value) && holds(value, rest)
}

function store(target: RawParameters, [key = '', ...rest]: string[], value: unknown): void {
  if (rest.length === 0) {
    target[key] = value
    return
  }
  if (rest[0] === '') {
    const existing = target[key]
    if (existing !== undefined && !Array.isArray(existing)) throw badRequest('invalid parameters')
    const list: unknown[] = existing ?? []
    target[key] = list
    if (rest.length === 1) list.push(value)
    else store(currentElement(list, rest.slice(1)), rest.slice(1), value)
    return
  }
  const existing = target[key]
  if (existing !== undefined && !isHash(existing)) throw badRequest('invalid parameters')
  const hash = existing ?? emptyParameters()
  target[key] = hash
  store(hash, rest, value)
}

/**
 * Adds a name and its value to `target`, by the rules for nested names (contract 00): `a[b]`, `a[]`, `a[][name]`,
 * `a[0][k]`.
 */
export function addParameter(target: RawParameters, name: string, value: unknown): void {
  if (name === '') return
  // Nearly all names are plain.
  if (name.includes('[')) store(target, segmentsOf(name), value)
  else target[name] = value
}

function decode(text: string): string {
  const spaced = text.includes('+') ? text.replaceAll('+', ' ') : text
  if (!spaced.includes('%')) return spaced
  try {
    return decodeURIComponent(spaced)
  } catch {
    // Bytes that are not UTF-8 must be refused by whichever parameter they are for, and every parameter refuses U+0000.
    return '\u0000'
  }
}

/**
 * Reads a query string or a form body into nested parameters.
 * @throws ApiError 400 when it nests or repeats beyond the limits, or contradicts itself
 */
export function parseNestedParameters(text: string): RawParameters {
  const target = emptyParameters()
  if (text === '') return target
  const pairs = text.split('&', maximumPairs + 1)
  if (pairs.length > maximumPairs) throw badRequest('invalid parameters')
  for (const pair of pairs) {
    const equals = pair.indexOf('=')
    const name = decode(equals < 0 ? pair : pair.slice(0, equals))
    addParameter(target, name, equals < 0 ? '' : decode(pair.slice(equals + 1)))
  }
  return target
}
