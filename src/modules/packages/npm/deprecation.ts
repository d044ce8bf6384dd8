import { setImmediate as othersRan } from 'node:timers/promises'
import { malformedBody } from '../../../api/index.ts'
import { now, portionsOf, type Tx } from '../../../infra/database/index.ts'
import type { JsonReader } from '../../../infra/json/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { planLimits } from '../../plan-limits/index.ts'
import { requireServed, type ServedProject } from '../access/subjects.ts'
import { renewGeneration } from '../core/store.ts'
import { requireAtRest } from '../publishing/publish.ts'
import { npmInvalid, npmMissing } from './problems.ts'
import { readNpmBody } from './publication.ts'
import { largestBody } from './publish.ts'
import { deprecate, deprecationsOf } from './store.ts'

/** Characters of a message, and of all messages of a body. */
const longestMessage = 4096
const longestMessages = 8 * 1024 * 1024
/** Each may have a message of its own, and is written by a statement of its own. */
const versionsAtOnce = 100

/** What a body says about versions, by version; all else in it is not looked at. @throws ApiError 400 */
async function readMessages(reader: JsonReader): Promise<Map<string, string>> {
  const messages = new Map<string, string>()
  let length = 0
  const readVersion = (version: string) =>
    reader.object(async (key) => {
      if (key !== 'deprecated') return reader.skip()
      const message = await readMessage(reader)
      if (message === undefined) return
      length += version.length + message.length
      if (length > longestMessages) throw npmInvalid('Deprecations are too long')
      messages.set(version, message)
    })
  const isObject = await reader.object((key) => (key === 'versions' ? reader.object(readVersion) : reader.skip()))
  if (!isObject) throw malformedBody()
  return messages
}

/** @returns undefined for a value that is no text @throws ApiError 400 */
async function readMessage(reader: JsonReader): Promise<string | undefined> {
  const pieces = await reader.pieces()
  if (!pieces) return undefined
  let message = ''
  for await (const piece of pieces) {
    message += piece
    if (message.length > longestMessage)
      throw npmInvalid(`Deprecated is too long (maximum is ${longestMessage} characters)`)
  }
  return message.replaceAll('\u0000', '')
}

/**
 * Deprecates versions, or ends that with an empty message (contract 23, x.npm_deprecate). Many are written in portions: a client that
 * was cut off repeats the request.
 * @throws ApiError 400, 403, 413
 */
export async function deprecateVersions(
  platform: Platform,
  served: ServedProject,
  name: string,
  content: AsyncIterable<Uint8Array>,
): Promise<void> {
  requireServed(served, 'delete_packages')
  const { id: projectId } = served.project
  await requireAtRest(platform, projectId)
  const { npm_max_file_size: fileBytes } = await planLimits(platform.database.read)
  const messages = await readNpmBody(content, largestBody(fileBytes), readMessages)
  if (messages.size === 0) throw npmMissing('package versions to deprecate')
  for (const said of portionsOf([...messages], versionsAtOnce)) {
    await platform.database.write((tx) => storeMessages(platform, tx, { projectId, name }, new Map(said)))
    await othersRan()
  }
}

/** Stores what is said about some versions of a name. */
async function storeMessages(
  { clock }: Platform,
  tx: Tx,
  { projectId, name }: { projectId: number; name: string },
  messages: ReadonlyMap<string, string>,
): Promise<void> {
  const known = await deprecationsOf(tx, { projectId, name }, [...messages.keys()])
  const changed = known.filter(({ version, deprecated }) => (deprecated ?? '') !== messages.get(version))
  for (const [message, rows] of Map.groupBy(changed, ({ version }) => messages.get(version) || null)) {
    const ids = rows.map(({ id }) => id)
    await deprecate(tx, ids, message, now(clock))
  }
  if (changed.length > 0) await renewGeneration(tx, { project_id: projectId, package_type: 'npm', name_key: name })
}
