import { notFound, recordNotFound, type StreamedJson, streamedJson } from '../../../api/index.ts'
import { now } from '../../../infra/database/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { projectById } from '../../projects/index.ts'
import type { ServedPlace } from '../access/places.ts'
import type { PackageAbility } from '../access/rights.ts'
import { requireServed, type ServedProject, serveProject } from '../access/subjects.ts'
import { lockPackage, packageOf, renewGeneration } from '../core/store.ts'
import { requireAtRest } from '../publishing/publish.ts'
import { rowsAtOnce, separated, streamOfPieces } from '../reading/portions.ts'
import { lastOfName } from '../reading/store.ts'
import { isTag } from './names.ts'
import { distTags, projectsOfNpmName } from './packument.ts'
import { npmInvalid, npmMissing } from './problems.ts'
import { deleteTag, moveTag, type NamedTag } from './store.ts'

const longestVersion = 255

/**
 * The project whose dist-tags are meant: of a group or the server the one in which the name was published last.
 * @throws ApiError 401, 403, 404
 */
async function projectOfTags(
  platform: Platform,
  place: ServedPlace,
  name: string,
  ability: 'read_packages' | PackageAbility,
): Promise<ServedProject> {
  const { read } = platform.database
  const ids = await projectsOfNpmName(platform, place, name)
  if ('project' in place) return place
  const last = await lastOfName(read, ids, { type: 'npm', nameKey: name })
  const row = last && (await projectById(read, last.project_id))
  const served = row && (await serveProject(platform, row, place.caller))
  if (!served) throw notFound('Project')
  requireServed(served, ability)
  return served
}

/** Tags as one object of JSON. */
async function* tagsAsJson(portions: AsyncIterable<readonly NamedTag[]>): AsyncGenerator<string> {
  async function* texts() {
    for await (const tags of portions)
      yield tags.map(({ name: tag, version }) => `${JSON.stringify(tag)}:${JSON.stringify(version)}`)
  }
  yield '{'
  yield* separated(texts())
  yield '}'
}

/**
 * The dist-tags of a name, of which there may be as many as versions: then they are read while they are sent (contract 23,
 * x.npm_dist_tags_list).
 * @throws ApiError 401, 403, 404
 */
export async function listTags(
  platform: Platform,
  place: ServedPlace,
  name: string,
): Promise<Record<string, string> | StreamedJson> {
  const { project } = await projectOfTags(platform, place, name, 'read_packages')
  const portions = distTags(platform, { name, projectIds: [project.id] })
  const tags: NamedTag[] = []
  let next = await portions.next()
  for (; !next.done && tags.length < rowsAtOnce; next = await portions.next()) tags.push(...next.value)
  if (tags.length === 0) throw recordNotFound()
  if (next.done) return Object.fromEntries(tags.map(({ name: tag, version }) => [tag, version]))
  const further = next.value
  async function* all() {
    yield tags
    yield further
    yield* portions
  }
  return streamedJson({ headers: {}, body: async () => streamOfPieces(tagsAsJson(all())) })
}

/** The version that a body names: a JSON text, or the bare version. */
function versionOf(body: Buffer | undefined): string {
  const text = (body ?? Buffer.alloc(0)).toString('utf8').trim()
  try {
    const value: unknown = JSON.parse(text)
    return typeof value === 'string' ? value : text
  } catch {
    return text
  }
}

type Named = { name: string; tag: string }

/** Lets a tag point at a version (contract 23, x.npm_dist_tag_put). @throws ApiError 400, 401, 403, 404 */
export async function putTag(
  platform: Platform,
  place: ServedPlace,
  { name, tag }: Named,
  body: Buffer | undefined,
): Promise<void> {
  const { project } = await projectOfTags(platform, place, name, 'publish_packages')
  await requireAtRest(platform, project.id)
  const version = versionOf(body)
  if (version === '') throw npmMissing('Version')
  if (!isTag(tag)) throw npmInvalid('Tag is invalid')
  if (version.length > longestVersion || version.includes('\u0000')) throw notFound('Package')
  await platform.database.write(async (tx) => {
    const known = await packageOf(tx, project.id, { type: 'npm', nameKey: name, version })
    const held = known && (await lockPackage(tx, known.id))
    if (!held) throw notFound('Package')
    await moveTag(tx, held, tag, now(platform.clock))
    await renewGeneration(tx, held)
  })
}

/** Removes a tag (contract 23, x.npm_dist_tag_delete). @throws ApiError 401, 403, 404 */
export async function removeTag(platform: Platform, place: ServedPlace, { name, tag }: Named): Promise<void> {
  const { project } = await projectOfTags(platform, place, name, 'delete_packages')
  await requireAtRest(platform, project.id)
  const isDeleted = await platform.database.write((tx) => deleteTag(tx, project.id, name, tag))
  if (!isDeleted) throw notFound('Package tag')
}
