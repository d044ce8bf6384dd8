/** A path of a site, as a request names it: decoded once, without segments that lead upwards. */
export type SitePath = {
  /** Not empty. */
  segments: readonly string[]
  /** Whether it ends with a slash: it names a folder. */
  isFolder: boolean
}

/** Reads the path of a request; null for one that is none (contract 24, Pages: serving and safety). @param url with its query */
export function readPath(url: string): SitePath | null {
  let path: string
  try {
    path = decodeURIComponent(url.split(/[?#]/, 1)[0] ?? '')
  } catch {
    return null
  }
  if (path.includes('\u0000') || path.includes('\\')) return null
  const segments: string[] = []
  for (const segment of path.split('/')) {
    if (segment === '..') segments.pop()
    else if (segment !== '' && segment !== '.') segments.push(segment)
  }
  return { segments, isFolder: segments.length === 0 || /(?:^|\/)\.{0,2}$/.test(path) }
}

/** The path as an address writes it. It begins with one slash, so that it names no other host. */
export function writePath({ segments, isFolder }: SitePath): string {
  const path = `/${segments.map(encodeURIComponent).join('/')}`
  return isFolder && segments.length > 0 ? `${path}/` : path
}
