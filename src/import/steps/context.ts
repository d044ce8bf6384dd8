import { NotBrought, Refused } from '../clients/errors.ts'
import type { GitClient, Remote } from '../clients/git.ts'
import type { ApiServer } from '../clients/server.ts'
import { type Item, itemOf } from '../clients/values.ts'
import type { ImportState } from '../state.ts'
import type { People } from './people.ts'
import { credited, type Origin } from './texts.ts'

/** How far the import is. */
export type ImportProgress = {
  step(name: string, total?: number): void
  advance(amount: number, what?: string): void
  /** Shows a line. */
  note(line: string): void
}

/** What all steps share. */
export type ImportContext = {
  source: ApiServer
  target: ApiServer
  state: ImportState
  people: People
  git: GitClient
  /** For repositories, while they are brought. */
  folder: string
  /** Whether people without an account are invited by their address. */
  invites: boolean
  /** Whether the token of the source is an administrator's. With another one, what is public is not brought, but what its user is a member of. */
  seesAll: boolean
  progress: ImportProgress
  now(): Date
}

/** A group or project with its twin at the target. */
export type Place = {
  kind: 'groups' | 'projects'
  /** Full path, the same in both servers. */
  path: string
  sourceId: number
  targetId: number
  /** Paths of the API. */
  from: string
  to: string
}

/** A repository on its way: a bare copy of that of the source. */
export type Copy = { folder: string; target: Remote }

export function placeOf(kind: Place['kind'], path: string, sourceId: number, targetId: number): Place {
  return { kind, path, sourceId, targetId, from: `/${kind}/${sourceId}`, to: `/${kind}/${targetId}` }
}

/**
 * Brings something, and reports it where it cannot be brought.
 * @param key of the report: the same one again replaces it
 * @returns null where it could not
 */
export async function attempt<Value>(
  { state }: ImportContext,
  { key, place, what }: { key: string; place: string; what: string },
  bring: () => Promise<Value>,
): Promise<Value | null> {
  try {
    const value = await bring()
    state.solved(key)
    return value
  } catch (error) {
    // Of a name that is no valid Unicode.
    const reason = error instanceof URIError ? 'its name cannot stand in an address' : null
    if (reason === null && !(error instanceof NotBrought)) throw error
    state.reportProblem(key, { place, what, reason: reason ?? (error as Error).message })
    return null
  }
}

/** Brings each object of a list of the source. What cannot be brought does not stop the others. */
export async function bringEach(
  context: ImportContext,
  place: Place,
  { list, what, nameOf }: { list: string; what: string; nameOf: (item: Item) => string | number | undefined },
  bring: (item: Item) => Promise<unknown>,
): Promise<void> {
  const tell = rateOf(context, `${place.path}: ${what}`)
  await attempt(context, { key: `list ${place.from} ${what}`, place: place.path, what }, async () => {
    for await (const item of context.source.list(`${place.from}/${list}`)) {
      const name = nameOf(item) ?? '?'
      await attempt(
        context,
        { key: `item ${place.from} ${what} ${name}`, place: place.path, what: `${what} ${name}` },
        () => bring(item),
      )
      tell()
    }
  })
}

/** Shows how many of a kind are done, and how many in a second. @returns is called for each */
export function rateOf({ progress, now }: ImportContext, what: string): () => void {
  const beganMs = now().getTime()
  let done = 0
  return () => {
    done += 1
    const seconds = (now().getTime() - beganMs) / 1000
    progress.advance(0, `${what}, ${done}${seconds < 1 ? '' : ` (${(done / seconds).toFixed(1)}/s)`}`)
  }
}

const noRight = [401, 403, 404]

/**
 * Writes in the name of an author. Of one without an account here, or without the right, the text begins with who wrote it.
 * @param write gets the name for `Sudo`, and the text
 */
export async function writeAs(
  context: ImportContext,
  item: Item,
  { text, url, isDated = true }: { text: string; url: string | undefined; isDated?: boolean },
  write: (as: string | undefined, text: string) => Promise<Item>,
): Promise<Item> {
  const author = itemOf(item, 'author')
  const origin: Origin = { author, item, url: url ?? context.source.url }
  const person = author ? await context.people.of(author) : null
  if (person) {
    try {
      return await write(person.username, isDated ? text : credited(text, origin))
    } catch (error) {
      if (!(error instanceof Refused) || !noRight.includes(error.status)) throw error
    }
  }
  return write(undefined, credited(text, origin))
}
