import { type Actor, ApiError } from '../../api/index.ts'
import { type Reference, renderMarkdown } from '../../infra/markdown/index.ts'
import type { Platform } from '../../platform/index.ts'
import { openRepository } from '../../platform/repositories/index.ts'
import { resolveRevision } from '../commits/index.ts'
import { linksOfReferences } from '../issuables/index.ts'
import { usableLabels } from '../labels/index.ts'
import { usableMilestonesTitled } from '../milestones/index.ts'
import { fromProject, may, type Project } from '../projects/index.ts'
import { readableSnippet } from '../snippets/index.ts'
import { usersByUsernames } from '../users/index.ts'

/** References of each kind in a text beyond these stay text (contract 25, x.markdown). */
const mostOfKind = 100

/** A caller, and the project in which the references without a path are; null outside of projects. */
export type TextReader = { platform: Platform; actor: Actor; project: Project | null }

/** What references are to, by the reference; those that the caller may not read are absent. */
type Targets = ReadonlyMap<string, Reference>

/** Finds the targets of references of one kind. */
type Kind = { form: RegExp; find(reader: TextReader, found: readonly string[]): Promise<Targets> }

/** The first references of a text that differ, of each kind: as a rendering meets them, so none in code or links. */
function referencesByKind(text: string): Map<Kind, string[]> {
  const byKind = new Map<Kind, Set<string>>()
  const reference = (found: string) => {
    const kind = kinds.find(({ form }) => form.test(found))
    if (!kind) return null
    const known = byKind.get(kind) ?? new Set()
    if (known.size < mostOfKind) byKind.set(kind, known.add(found))
    return null
  }
  renderMarkdown(text, { reference })
  return new Map([...byKind].map(([kind, found]) => [kind, [...found]]))
}

/** Issues, merge requests and epics, by short references and by the addresses of their pages. */
async function issuables({ platform, actor, project }: TextReader, found: readonly string[]): Promise<Targets> {
  const { externalUrl } = platform
  const home = { projectId: project?.id ?? null, groupId: null }
  const paths = await linksOfReferences(platform, actor, found.join(' '), home)
  const own = project ? `${project.full_path.toLowerCase()}` : ''
  const shortOf = new Map(
    [...paths].map(([short, path]) => [path.toLowerCase(), short.startsWith(own) ? short.slice(own.length) : short]),
  )
  return targetsOf(found, (reference) => {
    const path = paths.get(reference.toLowerCase())
    if (path !== undefined) return { href: `${externalUrl}${path}` }
    const [page = '', note] = reference
      .slice(externalUrl.length)
      .toLowerCase()
      .split(/#(?=note_\d+$)/)
    const short = shortOf.get(page.replace('/work_items/', '/issues/'))
    return short ? { href: reference, shown: note ? `${short} (comment ${note.slice('note_'.length)})` : short } : null
  })
}

async function people({ platform }: TextReader, found: readonly string[]): Promise<Targets> {
  const names = found.map((mention) => mention.slice(1).toLowerCase())
  const users = await usersByUsernames(platform.database.read, names)
  const byName = new Map(users.map(({ username }) => [username.toLowerCase(), username]))
  return targetsOf(found, (mention) => {
    const username = byName.get(mention.slice(1).toLowerCase())
    return username === undefined ? null : { href: `${platform.externalUrl}/${username}` }
  })
}

const nameBehindSign = (reference: string) => reference.slice(1).replace(/^"(.*)"$/, '$1')

async function labels({ platform, actor, project }: TextReader, found: readonly string[]): Promise<Targets> {
  if (!project || !may(actor, project, 'read_labels')) return new Map()
  const titles = found.map(nameBehindSign)
  const known = await usableLabels(platform.database.read, fromProject(project), titles)
  const issues = `${platform.externalUrl}/${project.full_path}/-/issues?labels=`
  return targetsOf(found, (reference) => {
    const title = nameBehindSign(reference)
    return known.has(title) ? { href: `${issues}${encodeURIComponent(title)}`, shown: title } : null
  })
}

async function milestones({ platform, actor, project }: TextReader, found: readonly string[]): Promise<Targets> {
  if (!project || !may(actor, project, 'read_milestones')) return new Map()
  const known = await usableMilestonesTitled(platform.database.read, fromProject(project), found.map(nameBehindSign))
  return targetsOf(found, (reference) => {
    const milestone = known.get(nameBehindSign(reference))
    const place = `${platform.externalUrl}/${project.full_path}/-/milestones`
    return milestone ? { href: `${place}/${milestone.id}` } : null
  })
}

async function snippets({ platform, actor, project }: TextReader, found: readonly string[]): Promise<Targets> {
  if (!project || !may(actor, project, 'read_snippets')) return new Map()
  const readable = new Set<string>()
  for (const reference of found) {
    if (await readableSnippet(platform, { project }, actor, Number(reference.slice(1)))) readable.add(reference)
  }
  const place = `${platform.externalUrl}/${project.full_path}/-/snippets`
  return targetsOf(found, (reference) => (readable.has(reference) ? { href: `${place}/${reference.slice(1)}` } : null))
}

/** Commits by their hash, and ranges of two. */
async function commits({ platform, actor, project }: TextReader, found: readonly string[]): Promise<Targets> {
  if (!project || !may(actor, project, 'read_code')) return new Map()
  const opened = await openRepository(platform, project).catch((error) => {
    if (error instanceof ApiError) return null
    throw error
  })
  const hashes = new Set(found.flatMap((reference) => reference.split(/\.+/)))
  const known = new Map<string, string>()
  for (const hash of opened ? hashes : []) {
    const oid = opened && (await resolveRevision(opened, hash))
    if (oid?.startsWith(hash.toLowerCase())) known.set(hash, oid)
  }
  const place = `${platform.externalUrl}/${project.full_path}/-`
  return targetsOf(found, (reference) => {
    const [from = '', to] = reference.split(/\.+/).map((hash) => known.get(hash))
    if (to) return { href: `${place}/compare/${from}...${to}` }
    return from && !reference.includes('..') ? { href: `${place}/commit/${from}`, shown: from.slice(0, 8) } : null
  })
}

function targetsOf(found: readonly string[], targetOf: (reference: string) => Reference | null): Targets {
  return new Map(
    found.flatMap((reference) => {
      const target = targetOf(reference)
      return target ? [[reference, target] as const] : []
    }),
  )
}

const kinds: readonly Kind[] = [
  { form: /^[^~%@$"]*[#!&]\d+$|^https?:\/\//, find: issuables },
  { form: /^@/, find: people },
  { form: /^~/, find: labels },
  { form: /^%/, find: milestones },
  { form: /^\$/, find: snippets },
  { form: /^[\da-f]/i, find: commits },
]

/** What the references of a text are to, as far as the caller may read it (contract 25, x.markdown). */
export async function referencesOf(reader: TextReader, text: string): Promise<Targets> {
  const found = [...referencesByKind(text)]
  const targets = await Promise.all(found.map(([kind, references]) => kind.find(reader, references)))
  return new Map(targets.flatMap((some) => [...some]))
}
