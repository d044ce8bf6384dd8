import { notFound } from '../../../api/index.ts'
import { branchesGet, type CommitObject, commitsGet } from '../../operations.ts'
import type { Visit } from '../../page.ts'

/** A path as part of an address. */
export const pathOf = (path: string): string => path.split('/').map(encodeURIComponent).join('/')

/** The address of a page below the project. */
export const at = ({ project }: Visit, rest: string): string => `/${project.path_with_namespace}/-/${rest}`

/** Whether the project has commits: pages about them are not there before. */
export const hasCommits = ({ project }: Visit): boolean => !project.empty_repo && Boolean(project.default_branch)

/** The address of a page about a path at a ref, such as `tree/main/lib`. */
export function atPath(visit: Visit, page: string, ref: string, path = ''): string {
  return at(visit, `${page}/${pathOf(ref)}${path === '' ? '' : `/${pathOf(path)}`}`)
}

/** The last part of a path. */
export const nameOf = (path: string): string => path.slice(path.lastIndexOf('/') + 1)

/** The folder of a path; empty for the root. */
export const folderOf = (path: string): string => path.slice(0, Math.max(0, path.lastIndexOf('/')))

/** A ref as people read it: ids of commits are shortened. */
export const shortRef = (ref: string): string => (isCommitId(ref) ? ref.slice(0, 8) : ref)

const isCommitId = (ref: string) => /^([\da-f]{40}|[\da-f]{64})$/.test(ref)

/** A path at a revision, and its commit. */
export type Place = { ref: string; path: string; head: CommitObject }

/** Refs with more slashes are not found in addresses. */
const mostParts = 8

/**
 * Divides an address into a ref and a path. Refs may have slashes too: the shortest that names a commit is the ref. Seven digits
 * may also be a short id, so that a longer name of a branch comes before.
 * @throws ApiError 404
 */
export async function placeOf(visit: Visit, where = ''): Promise<Place> {
  const parts = where.split('/')
  const { id } = visit.project
  const refs = parts.slice(0, mostParts).map((_, index) => parts.slice(0, index + 1).join('/'))
  const rest = (ref: string) => where.slice(ref.length + 1).replace(/\/+$/, '')
  if (refs.length > 1 && /^[\da-f]{7,39}$/.test(refs[0] ?? '')) {
    for (const branch of refs) {
      const found = await visit.find(branchesGet, { id, branch })
      if (found)
        return {
          ref: branch,
          path: rest(branch),
          head: await visit.read(commitsGet, { id, sha: branch, stats: false }),
        }
    }
  }
  for (const ref of refs) {
    const head = ref === '' ? null : await visit.find(commitsGet, { id, sha: ref, stats: false })
    if (head) return { ref, path: rest(ref), head }
  }
  // Callers who may not read the code get that answer.
  await visit.read(commitsGet, { id, sha: refs[0] || '-', stats: false })
  throw notFound('Ref')
}

/** The folders above a path, from the ref on. */
export function stepsTo(visit: Visit, { ref, path }: Pick<Place, 'ref' | 'path'>): [label: string, href: string][] {
  const parts = path === '' ? [] : path.split('/')
  const folders = parts.map((part, index): [string, string] => {
    return [part, atPath(visit, 'tree', ref, parts.slice(0, index + 1).join('/'))]
  })
  return [[shortRef(ref), atPath(visit, 'tree', ref)], ...folders]
}

/** The folders above a file, and the file. */
export function stepsToFile(visit: Visit, place: Pick<Place, 'ref' | 'path'>): [label: string, href: string][] {
  const { ref, path } = place
  return [...stepsTo(visit, place).slice(0, -1), [nameOf(path), atPath(visit, 'blob', ref, path)]]
}

/** Where a link in a Markdown file of the repository leads: links between files become addresses of pages. */
export function linksOf(visit: Visit, ref: string, folder: string): (url: string) => string {
  return (url) => {
    if (/^([a-z][a-z\d+.-]*:|\/\/|#)/i.test(url)) return url
    const [, path = '', rest = ''] = /^([^?#]*)(.*)$/s.exec(url) ?? []
    const parts: string[] = path.startsWith('/') || folder === '' ? [] : folder.split('/').map(encodeURIComponent)
    for (const part of path.split('/')) {
      if (part === '..') parts.pop()
      else if (part !== '' && part !== '.') parts.push(part)
    }
    const isPicture = /\.(png|jpe?g|gif|svg|webp|avif)$/i.test(path)
    return at(visit, `${isPicture ? 'raw' : 'blob'}/${pathOf(ref)}/${parts.join('/')}${rest}`)
  }
}
