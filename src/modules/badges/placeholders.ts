import type { Actor } from '../../api/index.ts'
import { type Platform, pagesBase } from '../../platform/index.ts'
import { openRepository } from '../../platform/repositories/index.ts'
import { namespaceById } from '../namespaces/index.ts'
import { may, type Project } from '../projects/index.ts'
import { newestTag } from '../tags/index.ts'

/** What values are of. */
type Source = { platform: Platform; project: Project; actor: Actor }

const namespaceOf = ({ full_path: path }: Project) => path.slice(0, path.lastIndexOf('/'))

/** Empty for callers who may not read the code (contract 25, Badges). */
const ofCode = (read: (source: Source) => string | Promise<string>) => async (source: Source) =>
  may(source.actor, source.project, 'read_code') ? read(source) : ''

async function groupName({ platform, project }: Source): Promise<string> {
  const namespace = await namespaceById(platform.database.read, project.namespace_id)
  return namespace?.kind === 'group' ? namespace.path : ''
}

async function headOid({ platform, project }: Source): Promise<string> {
  if (project.default_branch === null) return ''
  const { snapshot } = await openRepository(platform, project)
  return snapshot.branch(project.default_branch)?.oid ?? ''
}

/** The values of placeholders, by their names (contract 25, Badges). */
const placeholders: Readonly<Record<string, (source: Source) => string | Promise<string>>> = {
  project_path: ({ project }) => project.full_path,
  project_title: ({ project }) => project.name,
  project_name: ({ project }) => project.path,
  project_id: ({ project }) => String(project.id),
  project_namespace: ({ project }) => namespaceOf(project),
  group_name: groupName,
  gitlab_server: ({ platform }) => new URL(platform.externalUrl).hostname,
  gitlab_pages_domain: ({ platform }) => pagesBase(platform).hostname,
  default_branch: ofCode(({ project }) => project.default_branch ?? ''),
  commit_sha: ofCode(headOid),
  latest_tag: ofCode(async ({ platform, project }) => (await newestTag(await openRepository(platform, project))) ?? ''),
}

const pattern = /%\{([a-z_]+)\}/g

const namesIn = (text: string) =>
  [...text.matchAll(pattern)].map(([, name = '']) => name).filter((name) => Object.hasOwn(placeholders, name))

export const hasPlaceholder = (text: string): boolean => namesIn(text).length > 0

/** The values of the placeholders in texts, by their names, as parts of addresses. */
export async function valuesFor(source: Source, texts: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const values = new Map<string, string>()
  for (const name of new Set(texts.flatMap(namesIn))) {
    const value = await placeholders[name]?.(source)
    values.set(name, encodeURIComponent((value ?? '').toWellFormed()))
  }
  return values
}

/** An address with these values in the place of placeholders. Unknown ones stay. */
export function expand(address: string, values: ReadonlyMap<string, string>): string {
  return address.replace(pattern, (whole, name) => values.get(name) ?? whole)
}

/** In UTF-16 code units. */
const longestAddress = 2048

/** Whether a text is an address of http or https once its placeholders have values. */
export function isAddress(text: string): boolean {
  // The parser would drop line ends and tabs, and trim blanks.
  if (text.length > longestAddress || !/^https?:\/\/[^\s\p{Cc}]+$/iu.test(text)) return false
  return URL.canParse(text.replace(pattern, (whole, name) => (Object.hasOwn(placeholders, name) ? 'x' : whole)))
}
