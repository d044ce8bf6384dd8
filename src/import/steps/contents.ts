import { isUtf8 } from 'node:buffer'
import { NotBrought } from '../clients/errors.ts'
import { bytesOf } from '../clients/sending.ts'
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
} from '../clients/values.ts'
import { bringEach, type ImportContext, type Place, writeAs } from './context.ts'
import { bringNotes } from './work/notes.ts'

export async function bringReleases(context: ImportContext, place: Place): Promise<void> {
  const { target, state } = context
  const options = { list: 'releases?sort=asc', what: 'release', nameOf: (item: Item) => textOf(item, 'tag_name') }
  await bringEach(context, place, options, async (release) => {
    const tag_name = requireText(release, 'tag_name')
    const links = itemsOf(itemOf(release, 'assets') ?? {}, 'links')
    const given = {
      ...plainOf(release, ['tag_name', 'name']),
      released_at: timeOf(release, 'released_at'),
      milestones: itemsOf(release, 'milestones').flatMap((milestone) => textOf(milestone, 'title') ?? []),
      assets: { links: links.map((link) => plainOf(link, ['name', 'url', 'link_type', 'direct_asset_path'])) },
    }
    const from = { text: textOf(release, 'description') ?? '', url: textOf(itemOf(release, '_links') ?? {}, 'self') }
    await state.once(`release ${place.from} ${tag_name}`, {
      find: async () => {
        const found = await target.find(`${place.to}/releases/${encodeURIComponent(tag_name)}`)
        return found && tag_name
      },
      make: async () => {
        await writeAs(context, release, from, (as, description) =>
          target.write('POST', `${place.to}/releases`, { ...given, description }, as),
        )
        return tag_name
      },
    })
  })
}

/** More files has no snippet. */
const mostFiles = 10

async function filesOf({ source }: ImportContext, from: string) {
  // Lists do not name the files.
  const snippet = await source.get(from)
  const named = itemsOf(snippet, 'files').flatMap((file) => textOf(file, 'path') ?? [])
  const paths = named.length > 0 ? named : [textOf(snippet, 'file_name') || 'snippet.txt']
  if (paths.length > mostFiles) throw new NotBrought(`it has ${paths.length} files; ${mostFiles} are allowed`)
  const files = []
  for (const path of paths) {
    const raw = paths.length === 1 ? 'raw' : `files/HEAD/${encodeURIComponent(path)}/raw`
    const bytes = await bytesOf(await source.open(new URL(`${source.url}/api/v4${from}/${raw}`)))
    if (!isUtf8(bytes)) throw new NotBrought(`${path} is not text in UTF-8`)
    files.push({ file_path: path, content: bytes.toString('utf8') })
  }
  return files
}

const nameOfSnippet = (item: Item) => textOf(item, 'title') ?? numberOf(item, 'id')

export async function bringSnippets(context: ImportContext, place: Place): Promise<void> {
  const options = { list: 'snippets', what: 'snippet', nameOf: nameOfSnippet }
  await bringEach(context, place, options, async (snippet) => {
    const { from, id } = await bringSnippet(context, place, snippet, 'snippets')
    const commented = { place, what: `snippet ${nameOfSnippet(snippet)}`, from, to: `${place.to}/snippets/${id}` }
    await bringNotes(context, { ...commented, url: textOf(snippet, 'web_url') })
  })
}

/** The snippets of users. @param list of those that the token may read */
export async function bringSnippetsOfUsers(context: ImportContext, list: string): Promise<void> {
  const users: Place = { kind: 'projects', path: 'users', sourceId: 0, targetId: 0, from: '', to: '' }
  await bringEach(context, users, { list, what: 'snippet', nameOf: nameOfSnippet }, async (snippet) => {
    // An administrator lists those of projects as well.
    if (numberOf(snippet, 'project_id') === undefined) await bringSnippet(context, users, snippet, 'snippets/all')
  })
}

/** @param list in which an interrupted run has left it here */
async function bringSnippet(context: ImportContext, place: Place, snippet: Item, list: string) {
  const { target, state } = context
  const from = `${place.from}/snippets/${requireNumber(snippet, 'id')}`
  const given = plainOf(snippet, ['title', 'visibility'])
  const id = await state.once(`snippet ${from}`, {
    find: () => snippetMadeBefore(context, `${place.to}/${list}`, requireText(snippet, 'title')),
    make: async () => {
      const files = await filesOf(context, from)
      const text = { text: textOf(snippet, 'description') ?? '', url: textOf(snippet, 'web_url'), isDated: false }
      const made = await writeAs(context, snippet, text, (as, description) =>
        target.write('POST', `${place.to}/snippets`, { ...given, description, files }, as),
      )
      return requireNumber(made, 'id')
    },
  })
  state.finish(`made_snippet ${id}`, 1)
  return { from, id }
}

/** The snippet that an interrupted run has made: it belongs to none that was brought. */
async function snippetMadeBefore(
  { target, state }: ImportContext,
  list: string,
  title: string,
): Promise<number | null> {
  for await (const found of target.list(list)) {
    const id = requireNumber(found, 'id')
    if (textOf(found, 'title') === title && state.value(`made_snippet ${id}`) === undefined) return id
  }
  return null
}

/** Schedules do not run here until they are switched on: both servers would run them. */
export async function bringSchedules(context: ImportContext, place: Place): Promise<void> {
  const { source, target, state } = context
  const nameOf = (item: Item) => textOf(item, 'description')
  await bringEach(context, place, { list: 'pipeline_schedules', what: 'pipeline schedule', nameOf }, async (listed) => {
    const from = `pipeline_schedules/${requireNumber(listed, 'id')}`
    const key = `schedule ${place.from} ${from}`
    const schedule = await source.get(`${place.from}/${from}`)
    const given = plainOf(schedule, ['description', 'ref', 'cron', 'cron_timezone'])
    const id = await state.once(key, {
      find: () => sameSchedule(context, place, given),
      make: async () =>
        requireNumber(await target.write('POST', `${place.to}/pipeline_schedules`, { ...given, active: false }), 'id'),
    })
    const to = `${place.to}/pipeline_schedules/${id}/variables`
    for (const variable of itemsOf(schedule, 'variables')) {
      const name = requireText(variable, 'key')
      await state.once(`schedule_variable ${key} ${name}`, {
        find: async () => ((await target.find(`${to}/${encodeURIComponent(name)}`)) ? name : null),
        make: async () => {
          await target.write('POST', to, plainOf(variable, ['key', 'value', 'variable_type', 'raw']))
          return name
        },
      })
    }
    if (flagOf(schedule, 'active') !== true) return
    const reason = 'it is switched off here, because the source still runs it; switch it on when that has ended'
    state.reportProblem(`active ${key}`, { place: place.path, what: `pipeline schedule ${nameOf(schedule)}`, reason })
  })
}

async function sameSchedule({ target }: ImportContext, { to }: Place, given: Record<string, unknown>) {
  for await (const found of target.list(`${to}/pipeline_schedules`)) {
    if (['description', 'cron'].every((name) => found[name] === given[name])) return requireNumber(found, 'id')
  }
  return null
}
