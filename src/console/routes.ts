import type { Level, Page } from './page.ts'

/** Where an address leads: to the pages of which project, group or neither, and to which of them. */
type Address = {
  /** `home` for an address without `/-/`, which may be a project's, a group's or a user's. */
  at: Level | 'home'
  /** The path of the project or group. */
  name: string
  rest: string
}

/** First segments that are no namespaces. */
const ofInstance = new Set([
  '-',
  'admin',
  'dashboard',
  'docs',
  'explore',
  'help',
  'oauth',
  'profile',
  'projects',
  'search',
  'users',
])

/** Whether an address is that of a page of the server without `/-/`. */
export function isOfServer(path: string): boolean {
  const [first = ''] = path.split('/', 1)
  return (ofInstance.has(first) && first !== 'profile') || path === 'groups/new'
}

/** Decodes a segment; as it is where it is not encoded text. */
export function decoded(text: string): string {
  try {
    return decodeURIComponent(text)
  } catch {
    return text
  }
}

/** Reads an address: `/a/b/-/issues/1` is the page `issues/1` of the project `a/b`. */
export function addressOf(path: string): Address {
  const trimmed = path.replace(/^\/+|\/+$/g, '')
  const [first = ''] = trimmed.split('/', 1)
  if (trimmed === '' || ofInstance.has(first)) return { at: 'instance', name: '', rest: trimmed.replace(/^-\//, '') }
  if (trimmed === 'groups/new') return { at: 'instance', name: '', rest: trimmed }
  const isGroup = first === 'groups' && trimmed.includes('/')
  const [name = '', ...rest] = `${isGroup ? trimmed.slice('groups/'.length) : trimmed}/`.split('/-/')
  const at = isGroup ? 'group' : rest.length > 0 ? 'project' : 'home'
  return { at, name: decoded(name.replace(/\/$/, '')), rest: rest.join('/-/').replace(/\/$/, '') }
}

/** The parameters that the path of a page finds in an address; null when the address is not of that page. */
function match(pattern: string, rest: string): Record<string, string> | null {
  const wanted = pattern === '' ? [] : pattern.split('/')
  const given = rest === '' ? [] : rest.split('/')
  const params: Record<string, string> = {}
  for (const [index, segment] of wanted.entries()) {
    if (segment.startsWith('*')) {
      params[segment.slice(1)] = given.slice(index).map(decoded).join('/')
      return params
    }
    const text = given[index]
    if (text === undefined) return null
    if (segment.startsWith(':')) params[segment.slice(1)] = decoded(text)
    else if (segment !== text) return null
  }
  return given.length === wanted.length ? params : null
}

/** How much a segment of a pattern leaves open: nothing, also behind its end; one segment, or the rest. */
const openness = (segment = '') => (segment.startsWith('*') ? 2 : segment.startsWith(':') ? 1 : 0)

/** Whether a pattern says more than another one that matches the same address: the first segment in which they differ decides. */
function isNearer(one: string, other: string): boolean {
  const [own, others] = [one.split('/'), other.split('/')]
  for (let index = 0; index < Math.max(own.length, others.length); index += 1) {
    const less = openness(others[index]) - openness(own[index])
    if (less !== 0) return less > 0
  }
  return false
}

/** The page of an address: of those that match the one whose path says the most, and of equal ones the first. */
export function findPage(
  pages: readonly Page[],
  at: Level,
  rest: string,
): { page: Page; params: Record<string, string> } | null {
  let nearest: ReturnType<typeof findPage> = null
  for (const page of pages) {
    const params = page.at === at ? match(page.path, rest) : null
    if (params && (!nearest || isNearer(page.path, nearest.page.path))) nearest = { page, params }
  }
  return nearest
}
