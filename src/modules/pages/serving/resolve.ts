import { buffer } from 'node:stream/consumers'
import type { Platform } from '../../../platform/index.ts'
import type { IndexedFile } from '../files/format.ts'
import { findFile, openBytes } from '../files/lookup.ts'
import type { PagesDeploymentRow } from '../tables.ts'
import { readPath, type SitePath, writePath } from './paths.ts'
import { longestRules, readRules, redirectOf } from './redirects.ts'

/** What a site answers to a path. */
export type Resolved =
  | { kind: 'file'; file: IndexedFile; path: string; encoding: 'br' | 'gzip' | null; status: 200 | 404 }
  | { kind: 'redirect'; to: string; status: 301 | 302 }
  | { kind: 'nothing' }

/** A request to a site: where its site begins at the host, and what the client takes. */
export type Wanted = { path: SitePath; prefix: string; encodings: string }

type Find = (path: string) => Promise<IndexedFile | null>

/** Whether a client takes an encoding, which it may refuse with `;q=0`. */
function takes(encodings: string, encoding: string): boolean {
  const [, q] = new RegExp(`(?:^|,)\\s*${encoding}\\s*(?:;\\s*q=([0-9.]+))?\\s*(?:,|$)`, 'i').exec(encodings) ?? []
  return q === undefined ? new RegExp(`(?:^|,)\\s*${encoding}\\s*(?:,|$)`, 'i').test(encodings) : Number(q) > 0
}

const siblings = [
  ['br', '.br'],
  ['gzip', '.gz'],
] as const

/** A file, or the compressed one beside it where the client takes that. */
async function compressed(find: Find, path: string, encodings: string): Promise<Resolved | null> {
  const file = await find(path)
  if (!file) return null
  for (const [encoding, end] of siblings) {
    const sibling = takes(encodings, encoding) ? await find(`${path}${end}`) : null
    if (sibling) return { kind: 'file', file: sibling, path, encoding, status: 200 }
  }
  return { kind: 'file', file, path, encoding: null, status: 200 }
}

/** The file of a path, as the site has it. */
async function fileAt(find: Find, { path, prefix, encodings }: Wanted): Promise<Resolved | null> {
  const name = path.segments.join('/')
  if (path.isFolder) return compressed(find, name === '' ? 'index.html' : `${name}/index.html`, encodings)
  const found = await compressed(find, name, encodings)
  if (found) return found
  if (await find(`${name}/index.html`)) {
    return { kind: 'redirect', to: `${prefix}${writePath({ ...path, isFolder: true })}`, status: 302 }
  }
  return compressed(find, `${name}.html`, encodings)
}

/** The rules of a site; none when it has no file of rules, or a longer one than is read. */
export async function rulesOf(platform: Platform, deployment: PagesDeploymentRow) {
  const file = await findFile(platform, deployment, '_redirects')
  if (!file || file.sizeBytes === 0 || file.sizeBytes > longestRules) return []
  const bytes = await openBytes(platform, deployment, file.offset, file.sizeBytes)
  return bytes ? readRules((await buffer(bytes)).toString()) : []
}

/** What a site answers (contract 24, Pages: serving and safety): files first, then its rules, then its own page for what is missing. */
export async function resolve(platform: Platform, deployment: PagesDeploymentRow, wanted: Wanted): Promise<Resolved> {
  const find: Find = (path) => findFile(platform, deployment, path)
  const found = await fileAt(find, wanted)
  if (found) return found
  const rule = redirectOf(await rulesOf(platform, deployment), wanted.path, wanted.prefix)
  if (rule && rule.status !== 200) return { kind: 'redirect', to: rule.to, status: rule.status }
  const rewritten = rule ? readPath(rule.to) : null
  const shown = rewritten && (await fileAt(find, { ...wanted, path: rewritten }))
  if (shown?.kind === 'file') return shown
  const own = await compressed(find, '404.html', wanted.encodings)
  return own?.kind === 'file' ? { ...own, status: 404 } : { kind: 'nothing' }
}
