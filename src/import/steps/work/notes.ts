import { NotBrought, Refused } from '../../clients/errors.ts'
import {
  flagOf,
  type Item,
  itemOf,
  itemsOf,
  numberOf,
  plainOf,
  requireNumber,
  requireText,
  textOf,
  timeOf,
} from '../../clients/values.ts'
import { attempt, type ImportContext, type Place, writeAs } from '../context.ts'
import { withoutActions } from '../texts.ts'
import { withAttachments } from './attachments.ts'

/** What is commented on, such as an issue. */
export type Commented = {
  place: Place
  /** Such as `issue #3`. */
  what: string
  /** Paths of the API. */
  from: string
  to: string
  /** Its page at the source. */
  url: string | undefined
}

/** What was stored of a note. */
type Brought = { note: number; discussion?: string }

/** Brings the comments, in their threads. Notes of the system are not brought: they tell what was done at the source. */
export async function bringNotes(context: ImportContext, commented: Commented): Promise<void> {
  const { place, what, from } = commented
  const key = `notes ${from}`
  await attempt(context, { key, place: place.path, what: `comments of ${what}` }, async () => {
    for await (const discussion of discussionsOf(context, from)) await bringDiscussion(context, commented, discussion)
  })
}

/** The threads of the source; of a server without them, each note is one. */
async function* discussionsOf({ source }: ImportContext, from: string): AsyncGenerator<Item> {
  try {
    yield* source.list(`${from}/discussions`)
  } catch (error) {
    if (!(error instanceof Refused) || ![404, 405].includes(error.status)) throw error
    for await (const note of source.list(`${from}/notes?sort=asc&order_by=created_at`)) {
      yield { individual_note: true, notes: [note] }
    }
  }
}

async function bringDiscussion(context: ImportContext, commented: Commented, discussion: Item): Promise<void> {
  const notes = itemsOf(discussion, 'notes').filter((note) => flagOf(note, 'system') !== true)
  const isSingle = flagOf(discussion, 'individual_note') === true
  let thread: string | undefined
  for (const note of notes) {
    const name = numberOf(note, 'id') ?? '?'
    const report = { key: `item note ${commented.from} ${name}`, place: commented.place.path }
    const brought = await attempt(context, { ...report, what: `comment ${name} on ${commented.what}` }, () =>
      bringNote(context, commented, note, { isSingle, thread }),
    )
    thread ??= brought?.discussion
  }
  if (thread === undefined || notes.length === 0 || !notes.some((note) => flagOf(note, 'resolved') === true)) return
  if (notes.some((note) => flagOf(note, 'resolved') === false)) return
  const key = `resolved ${commented.from} ${thread}`
  if (context.state.value(key) !== undefined) return
  const report = { key: `item ${key}`, place: commented.place.path, what: `the end of a thread of ${commented.what}` }
  await attempt(context, report, async () => {
    await context.target.write('PUT', `${commented.to}/discussions/${thread}`, { resolved: true })
    context.state.finish(key, 1)
  })
}

type Where = { isSingle: boolean; thread: string | undefined }

async function bringNote(context: ImportContext, commented: Commented, note: Item, where: Where): Promise<Brought> {
  const { state, target } = context
  const readText = () => withAttachments(context, commented.place, withoutActions(requireText(note, 'body')))
  const { to, url } = commented
  const created_at = timeOf(note, 'created_at')
  const path =
    where.thread !== undefined ? `discussions/${where.thread}/notes` : where.isSingle ? 'notes' : 'discussions'
  const isInternal = flagOf(note, 'internal') ?? flagOf(note, 'confidential') ?? false
  const noteUrl = url === undefined ? undefined : `${url}#note_${numberOf(note, 'id')}`
  return state.once<Brought>(`note ${commented.from} ${requireNumber(note, 'id')}`, {
    find: async () => findNote(context, commented, await readText(), created_at),
    make: async () => {
      const made = await writeAs(context, note, { text: await readText(), url: noteUrl }, (as, body) => {
        const given = { body, created_at, ...(isInternal ? { internal: true } : {}) }
        return writeWithPosition(path === 'discussions' ? positionOf(note) : undefined, given, (whole) =>
          target.write('POST', `${to}/${path}`, whole, as),
        )
      })
      return broughtOf(made)
    },
  })
}

function broughtOf(made: Item): Brought {
  const [first] = itemsOf(made, 'notes')
  const discussion = textOf(made, 'id')
  if (first && discussion !== undefined) return { note: requireNumber(first, 'id'), discussion }
  if (numberOf(made, 'id') === undefined) throw new NotBrought('this server does not store it as a comment')
  return { note: requireNumber(made, 'id') }
}

const positionMembers = [
  'base_sha',
  'start_sha',
  'head_sha',
  'position_type',
  'new_path',
  'old_path',
  'new_line',
  'old_line',
]

/** The place in a diff that a note is about. */
function positionOf(note: Item): Record<string, string | number | boolean> | undefined {
  const position = itemOf(note, 'position')
  return position && textOf(position, 'position_type') === 'text' ? plainOf(position, positionMembers) : undefined
}

/** Writes a note at its place in the diff; where the diff has no such place here, the text says it. */
async function writeWithPosition(
  position: Record<string, string | number | boolean> | undefined,
  given: { body: string },
  write: (body: object) => Promise<Item>,
): Promise<Item> {
  if (!position) return write(given)
  try {
    return await write({ ...given, position })
  } catch (error) {
    if (!(error instanceof Refused) || error.status !== 400) throw error
    const line = position.new_line ?? position.old_line
    const file = String(position.new_path ?? position.old_path).replaceAll('`', '')
    return write({ ...given, body: `*On \`${file}\`${line === undefined ? '' : `, line ${line}`}.*\n\n${given.body}` })
  }
}

/** The note that an interrupted run has written: it has the same time, and the text, maybe below a line about its origin. */
async function findNote(
  { target }: ImportContext,
  { to }: Commented,
  text: string,
  createdAt: string | undefined,
): Promise<Brought | null> {
  for await (const discussion of target.list(`${to}/discussions`)) {
    for (const note of itemsOf(discussion, 'notes')) {
      const isSame = timeOf(note, 'created_at') === createdAt && textOf(note, 'body')?.endsWith(text.trimEnd())
      const id = numberOf(note, 'id')
      const thread = textOf(discussion, 'id')
      if (isSame && id !== undefined) return { note: id, ...(thread === undefined ? {} : { discussion: thread }) }
    }
  }
  return null
}
