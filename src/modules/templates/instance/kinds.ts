import { readdirSync } from 'node:fs'
import { readFile } from 'node:fs/promises'

/** Templates that the server has: each kind is a folder of `contents`, with one file for each template. */
export const kinds = {
  dockerfiles: { ending: '.Dockerfile', noun: 'dockerfile' },
  gitignores: { ending: '.gitignore', noun: 'gitignore' },
  gitlab_ci_ymls: { ending: '.yml', noun: 'gitlab_ci_yml' },
} as const

export type Kind = keyof typeof kinds

const folderOf = (name: Kind | 'licenses') => new URL(`../contents/${name}/`, import.meta.url)

const keysByKind = new Map<Kind, readonly string[]>()

/** The keys of the templates of a kind, sorted. They are read once. */
export function keysOf(kind: Kind): readonly string[] {
  const known = keysByKind.get(kind)
  if (known) return known
  const { ending } = kinds[kind]
  const files = readdirSync(folderOf(kind)).filter((name) => name.endsWith(ending))
  const keys = files.map((name) => name.slice(0, -ending.length)).sort()
  keysByKind.set(kind, keys)
  return keys
}

/** The content of a template; null when there is none. @param key case counts */
export async function contentOf(kind: Kind, key: string): Promise<string | null> {
  if (!keysOf(kind).includes(key)) return null
  return readFile(new URL(encodeURIComponent(`${key}${kinds[kind].ending}`), folderOf(kind)), 'utf8')
}

/** The text of a licence of the catalogue. */
export function licenseText(key: string): Promise<string> {
  return readFile(new URL(`${key}.txt`, folderOf('licenses')), 'utf8')
}
