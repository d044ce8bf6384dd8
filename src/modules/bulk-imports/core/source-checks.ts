import { type ApiError, failure } from '../../../api/index.ts'
import { isObject } from '../../../infra/json/index.ts'
import { atSource, type Source, SourceFailed } from '../source/index.ts'
import { textOf } from '../source/values.ts'
import type { EntityType } from '../tables.ts'

const leastVersion = 14

export const invalidUrl = () =>
  failure(422, 'Invalid source URL. Enter only the base URL of the source GitLab instance.')
const oldVersion = () => failure(422, `Unsupported GitLab version. Minimum supported version is ${leastVersion}.`)
const refusedToken = () =>
  failure(422, "Personal access token does not have the required 'api' scope or is no longer valid.")
const switchedOff = () =>
  failure(
    422,
    'Group import disabled on source or destination instance. Ask an administrator to enable it on both instances and try again.',
  )
const absent = (path: string) => failure(422, `Import failed. '${path}' not found.`)

const refusals = [401, 403]

/** @throws ApiError 422 for a source that does not answer as one, or is too old */
async function requireVersion(source: Source): Promise<void> {
  const { status, body } = await source.ask(atSource.version, {})
  if (refusals.includes(status)) throw refusedToken()
  const version = isObject(body) ? textOf(body, 'version') : undefined
  if (status !== 200 || version === undefined) throw invalidUrl()
  const major = /^(\d{1,6})\./.exec(version)?.[1]
  if (major === undefined || Number(major) < leastVersion) throw oldVersion()
}

/** @throws ApiError 422. Sources of some releases do not say what a token may. */
async function requireToken(source: Source): Promise<void> {
  const { status, body } = await source.ask(atSource.token, {})
  if (status === 404) return
  const scopes = status === 200 && isObject(body) && Array.isArray(body.scopes) ? body.scopes : []
  if (!scopes.includes('api')) throw refusedToken()
}

/** What is to be migrated, as the source knows it. */
type Wanted = { type: EntityType; path: string }

/** The refusal of something whose exports cannot be read; null when they can. A source without exports does not name what it misses. */
async function refusalOf(source: Source, { type, path }: Wanted): Promise<ApiError | null> {
  const { status, body } = await source.ask(atSource[type].status, { id: path })
  if (status === 200) return null
  if (status === 401) return refusedToken()
  const message = isObject(body) ? textOf(body, 'message') : undefined
  return status === 404 && message === '404 Not Found' ? switchedOff() : absent(path)
}

const atOnce = 10

/**
 * Checks a source in the order of the contract: that it answers, its version, the token, and what is to be migrated.
 * @throws ApiError 422
 */
export async function checkSource(source: Source, wanted: readonly Wanted[]): Promise<void> {
  try {
    await requireVersion(source)
    await requireToken(source)
    for (let index = 0; index < wanted.length; index += atOnce) {
      const refusals = await Promise.all(wanted.slice(index, index + atOnce).map((one) => refusalOf(source, one)))
      const refusal = refusals.find((one) => one !== null)
      if (refusal) throw refusal
    }
  } catch (error) {
    throw error instanceof SourceFailed ? invalidUrl() : error
  }
}
