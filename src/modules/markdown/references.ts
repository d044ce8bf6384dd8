import { type Actor, ApiError } from '../../api/index.ts'
import { type Reference, renderMarkdown } from '../../infra/markdown/index.ts'
import type { Platform } from '../../platform/index.ts'
import { openRepository } from '../../platform/repositories/index.ts'
import { resolveRevision } from '../commits/index.ts'
import { readableEpicsAt } from '../epics/index.ts'
import { linksOfReferences } from '../issuables/index.ts'
import { usableLabels } from '../labels/index.ts'
import { usableMilestonesTitled } from '../milestones/index.ts'
import { findRoutes } from '../namespaces/index.ts'
import { fromProject, may, type Project } from '../projects/index.ts'
import { readableSnippetsIn } from '../snippets/index.ts'
import { usersByUsernames } from '../users/index.ts'

/** References of each kind in a text beyond these stay text (contract 25, x.markdown). */
const mostOfKind = 100

/**
 * A caller, and the project in which the references without a path are; null outside of projects. Those to epics are of the group, where
 * there is one.
 */
export type TextReader = { platform: Platform; actor: Actor; project: Project | null; groupId?: number | null }

/** What references are to, by the reference; those that the caller may not read are absent. */
type Targets = ReadonlyMap<string, Reference>

/** Finds the targets of references of one kind. */
type Kind = { form: RegExp; find(reader: TextReader, found: readonly string[]): Promise<Targets> }

/** Sorts references by their kinds; those beyond the first ones of a kind are left out. */
function byKind(found: Iterable<string>, most: number): Map<Kind, string[]> {
  const sorted = new Map<Kind, string[]>()
  for (const reference of found) {
    const kind = kinds.find(({ form }) => form.test(reference))
    if (!kind) continue
    const known = sorted.get(kind) ?? []
    sorted.set(kind, known)
    if (known.length < most) known.push(reference)
  }
  return sorted
}

/** The references of a text that differ: as a rendering meets them, so none in code or links. */
function referencesOfText(text: string): Set<string> {
  const found = new Set<string>()
  const reference = (one: string) => {
    found.add(one)
    return null
  }
  renderMarkdown(text, { reference })
  return found
}

/** Issues and merge requests, by short references and by the addresses of their pages. */
async function issuables({ platform, actor, project }: TextReader, found: readonly string[]): Promise<Targets> {
  const { externalUrl } = platform
  const home = { projectId: project?.id ?? null, groupId: null }
  const paths = await linksOfReferences(platform, actor, found.join(' '), home, found.length)
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

/** Epics, of the group or of that of the project where they have no path. */
async function epics({ platform, actor, project, groupId }: TextReader, found: readonly string[]): Promise<Targets> {
  const parts = found.map((reference) => reference.split('&') as [path: string, iid: string])
  const paths = parts.flatMap(([path]) => path || [])
  const routes = await findRoutes(platform.database.read, paths)
  const own = groupId ?? project?.namespace_id
  const placeOf = ([path, iid]: [string, string]) => {
    const group = path === '' ? own : routes.get(path.toLowerCase())?.namespaceId
    return group ? { groupId: group, iid: Number(iid) } : null
  }
  const known = await readableEpicsAt(
    platform,
    actor,
    parts.flatMap((part) => placeOf(part) ?? []),
  )
  const pathOf = new Map(known.map(({ group, iid }) => [`${group.id}&${iid}`, group.full_path]))
  return targetsOf(found, (reference) => {
    const { groupId: id, iid } = placeOf(reference.split('&') as [string, string]) ?? {}
    const path = pathOf.get(`${id}&${iid}`)
    return path === undefined ? null : { href: `${platform.externalUrl}/groups/${path}/-/epics/${iid}` }
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
  const idOf = (reference: string) => Number(reference.slice(1))
  const readable = await readableSnippetsIn(platform.database.read, project, actor, found.map(idOf))
  const place = `${platform.externalUrl}/${project.full_path}/-/snippets`
  return targetsOf(found, (reference) =>
    readable.has(idOf(reference)) ? { href: `${place}/${reference.slice(1)}` } : null,
  )
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
  { form: /^[^~%@$"]*&\d+$/, find: epics },
  { form: /^[^~%@$"]*[#!]\d+$|^https?:\/\//, find: issuables },
  { form: /^@/, find: people },
  { form: /^~/, find: labels },
  { form: /^%/, find: milestones },
  { form: /^\$/, find: snippets },
  { form: /^[\da-f]/i, find: commits },
]

async function targetsByKind(reader: TextReader, sorted: ReadonlyMap<Kind, string[]>): Promise<Targets> {
  const targets = await Promise.all([...sorted].map(([kind, references]) => kind.find(reader, references)))
  return new Map(targets.flatMap((some) => [...some]))
}

/** What the references of a text are to, as far as the caller may read it (contract 25, x.markdown). */
export function referencesOf(reader: TextReader, text: string): Promise<Targets> {
  return targetsByKind(reader, byKind(referencesOfText(text), mostOfKind))
}

/**
 * The same for the references of all texts of a page, with a number of queries that depends on none of them. Commits are left out: git would
 * be asked for each.
 */
export function referencesOfPage(reader: TextReader, found: readonly string[]): Promise<Targets> {
  const sorted = byKind(found, found.length)
  return targetsByKind(reader, new Map([...sorted].filter(([{ find }]) => find !== commits)))
}
