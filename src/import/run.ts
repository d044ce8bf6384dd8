import { mkdir } from 'node:fs/promises'
import { dirname } from 'node:path'
import { ImportStopped, Refused, Unreachable } from './clients/errors.ts'
import { GitClient } from './clients/git.ts'
import { ApiServer } from './clients/server.ts'
import type { Item } from './clients/values.ts'
import { type ImportReport, kinds, neverBrought } from './report.ts'
import { ImportState } from './state.ts'
import { bringAttributesOfUsers } from './steps/attributes.ts'
import { bringSnippetsOfUsers } from './steps/contents.ts'
import { attempt, type ImportContext, type ImportProgress, type Place } from './steps/context.ts'
import { bringGroup, bringGroupContents, groupsToBring, projectsOf, projectsOfUsers } from './steps/groups.ts'
import { People } from './steps/people.ts'
import { bringProject, bringProjectContents, projectParts } from './steps/projects.ts'

export type ImportOptions = {
  /** Addresses, without a slash at their end, and tokens. That of the target is an administrator's. */
  source: { url: string; token: string }
  target: { url: string; token: string }
  /** Full paths; without any, all groups that the token may read, and projects of users. */
  groups: readonly string[]
  /** The file that knows what has been brought. Copies of repositories are beside it meanwhile. */
  stateFile: string
  invites?: boolean
  progress: ImportProgress
  now(): Date
  wait(ms: number): Promise<void>
  /** Of git. */
  environment: Readonly<Record<string, string>>
}

/** @throws ImportStopped for a token that is refused, or is not an administrator's */
async function requireAdministrator(target: ApiServer): Promise<void> {
  const user = await target.get('/user').catch((error) => {
    if (error instanceof Refused)
      throw new ImportStopped(`this server refuses the token of the administrator: ${error.message}`)
    throw error
  })
  if (user.is_admin !== true) throw new ImportStopped('the token for this server is not one of an administrator')
}

/** The user of the token of the source. @throws ImportStopped */
async function requireToken(source: ApiServer): Promise<Item> {
  return source.get('/user').catch((error) => {
    if (error instanceof ImportStopped) throw error
    throw new ImportStopped(`the source does not accept the token: ${(error as Error).message}`)
  })
}

/**
 * Brings groups and projects from another server of the v4 API into this one, by the APIs of both. Another run with the same state file
 * goes on where the last one ended, and brings what is new.
 * @throws ImportStopped when a server does not answer, or the state file is in use
 */
export async function runImport(options: ImportOptions): Promise<ImportReport> {
  const { progress, now, wait } = options
  const started = now()
  const waiting = { wait, now, note: (line: string) => progress.note(line) }
  const source = new ApiServer({ side: 'source', ...options.source, waiting })
  const target = new ApiServer({ side: 'target', ...options.target, waiting })
  await requireAdministrator(target)
  const seesAll = (await requireToken(source)).is_admin === true
  const folder = `${options.stateFile}.repositories`
  await mkdir(dirname(options.stateFile), { recursive: true, mode: 0o700 })
  const state = new ImportState(options.stateFile, { source: source.url, target: target.url })
  try {
    await mkdir(folder, { recursive: true, mode: 0o700 })
    const git = new GitClient(options.environment)
    const people = new People(source, target)
    const { invites = false } = options
    const context = { source, target, state, people, git, folder, invites, seesAll, progress, now }
    await bringDespiteFaults(context, options)
    const counts = state.counts(Object.keys(kinds))
    return {
      ...{ source: source.url, target: target.url, started_at: started.toISOString(), ended_at: now().toISOString() },
      brought: Object.fromEntries(Object.entries(counts).map(([kind, count]) => [kinds[kind] ?? kind, count])),
      ...{ problems: state.problems(), never_brought: neverBrought },
    }
  } finally {
    state.close()
  }
}

const mostRuns = 5
const firstPauseMs = 5000

/** Begins again where a server does not answer for a while: what was brought is not brought again. */
async function bringDespiteFaults(context: ImportContext, { groups, wait, progress }: ImportOptions): Promise<void> {
  for (let run = 1; ; run += 1) {
    try {
      return await bringAll(context, groups)
    } catch (error) {
      if (!(error instanceof Unreachable) || run >= mostRuns) throw error
      progress.note(`Trying again: ${error.message}`)
      await wait(firstPauseMs * 2 ** run)
    }
  }
}

type Found = { place: Place; projects: Item[] }

async function bringAll(context: ImportContext, names: readonly string[]): Promise<void> {
  const { progress } = context
  progress.step('Reading the groups')
  const groups: Found[] = []
  for await (const group of groupsToBring(context, names)) {
    const place = await bringGroup(context, group)
    if (!place) continue
    groups.push({ place, projects: await listed(context, place.path, projectsOf(context, place)) })
  }
  const personal = names.length > 0 ? [] : await listed(context, 'users', projectsOfUsers(context))
  const projects = [...groups.flatMap((group) => group.projects), ...personal]
  progress.step('Bringing', groups.length + projects.length * projectParts.length)
  for (const { place } of groups) {
    progress.advance(1, place.path)
    await bringGroupContents(context, place)
  }
  for (const project of projects) await bringWhole(context, project)
  if (names.length === 0) await bringSnippetsOfUsers(context, context.seesAll ? 'snippets/all' : 'snippets')
  await bringAttributesOfUsers(context, (id) => names.length === 0 || context.people.isKnown(id))
}

/** The objects of a list, as far as it can be read. */
async function listed(context: ImportContext, place: string, list: AsyncIterable<Item>): Promise<Item[]> {
  const found: Item[] = []
  await attempt(context, { key: `projects ${place}`, place, what: 'list of projects' }, async () => {
    for await (const item of list) found.push(item)
  })
  return found
}

async function bringWhole(context: ImportContext, project: Item): Promise<void> {
  const place = await bringProject(context, project)
  if (!place) return context.progress.advance(projectParts.length)
  const report = { key: `contents ${place.from}`, place: place.path, what: 'contents' }
  await attempt(context, report, () => bringProjectContents(context, place, project))
}
