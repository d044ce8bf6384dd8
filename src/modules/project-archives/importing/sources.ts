import { failure } from '../../../api/index.ts'
import { BlockedAddress, type OpenedAnswer, openOutbound } from '../../../infra/net/index.ts'
import { type ForeignObject, signedAddress } from '../../../infra/objects/index.ts'
import { limited } from '../../../infra/streams/index.ts'
import { type Platform, perPlatform } from '../../../platform/index.ts'
import { outboundPolicy, readRemoteAddress } from '../../projects/index.ts'
import { ImportProblem } from '../../transfer-archives/index.ts'

/** Where an archive is fetched from. */
export type Source = { kind: 'url'; url: string } | ({ kind: 's3' } & Omit<ForeignObject, 'endpoint'>)

/** The largest archive that is fetched (contract 25, Archives). */
const largestBytes = 10 * 1024 ** 3
const mediaTypes = ['application/gzip', 'application/x-tar', 'application/x-gzip']

/** How long an answer may take before a request is answered, and a whole download. */
const answerMs = 10_000
const downloadMs = 3_600_000

/** Tests put another service in the place of Amazon's. */
export const objectService = perPlatform((): { endpoint: string | undefined } => ({ endpoint: undefined }))

const reasonOf = (error: unknown) => (error instanceof Error && error.message !== '' ? error.message : 'no answer')

async function addressOf(platform: Platform, source: Source): Promise<URL> {
  if (source.kind === 'url') return new URL(source.url)
  const { kind: _, ...object } = source
  return signedAddress({ ...object, ...objectService(platform) }, downloadMs / 1000)
}

/** @throws BlockedAddress, RangeError; Error when there is no answer */
async function open(
  platform: Platform,
  source: Source,
  timeoutMs: number,
  signal?: AbortSignal,
): Promise<OpenedAnswer> {
  const policy = outboundPolicy(await platform.settings.current())
  const url = await addressOf(platform, source)
  return openOutbound({ method: 'GET', url, policy, timeoutMs, ...(signal && { signal }) })
}

/** Why an answer is no archive; null when it may be one. */
function refusalOf({ headers }: OpenedAnswer, isNamed: boolean): string | null {
  const length = Number(headers['content-length'] ?? Number.NaN)
  if (length < 1 || Number.isNaN(length)) return 'Content length is too small (should be at least 1 Byte)'
  if (length > largestBytes) return 'Content length is too big (should be at most 10 GB)'
  const type = (headers['content-type'] ?? '').split(';', 1)[0]?.trim() ?? ''
  if (isNamed || mediaTypes.includes(type)) return null
  return `Content type '${type}' not allowed. (Allowed: ${mediaTypes.join(', ')})`
}

/** @throws ApiError 400 unless an address may be fetched from, and answers with what may be an archive */
async function checkAddress(platform: Platform, source: Source & { kind: 'url' }): Promise<void> {
  const read = readRemoteAddress(source.url, ['https'], await platform.settings.current())
  if (typeof read === 'string') throw failure(400, `File url ${read}`)
  const answer = await open(platform, source, answerMs).catch((error) => {
    throw failure(
      400,
      error instanceof BlockedAddress
        ? `File url is blocked: ${error.message}`
        : `Failed to open the file: ${reasonOf(error)}`,
    )
  })
  answer.stream.destroy()
  if (answer.status !== 200)
    throw failure(400, `Failed to open the file: the server has answered with ${answer.status}`)
  const refusal = refusalOf(answer, false)
  if (refusal !== null) throw failure(400, refusal)
}

/** @throws ApiError 400 unless an object of a bucket can be read and may be an archive */
async function checkObject(platform: Platform, source: Source & { kind: 's3' }): Promise<void> {
  const { key, bucket } = source
  const answer = await open(platform, source, answerMs).catch((error) => {
    throw failure(400, `Failed to open '${key}' in '${bucket}': ${reasonOf(error)}`)
  })
  answer.stream.destroy()
  if (answer.status === 404) throw failure(400, `File not found '${key}' in '${bucket}'`)
  if (answer.status !== 200) {
    throw failure(400, `Failed to open '${key}' in '${bucket}': the service has answered with ${answer.status}`)
  }
  const refusal = refusalOf(answer, true)
  if (refusal !== null) throw failure(400, refusal)
}

/** Requires that an archive can be fetched from a source (contract 25, Archives: remote file, S3). @throws ApiError 400 */
export const checkSource = (platform: Platform, source: Source): Promise<void> =>
  source.kind === 'url' ? checkAddress(platform, source) : checkObject(platform, source)

/** The bytes of an archive at a source. @throws ImportProblem for an answer that is none; Error when the connection is lost */
export async function* bytesAt(platform: Platform, source: Source, signal: AbortSignal): AsyncGenerator<Uint8Array> {
  const answer = await open(platform, source, downloadMs, signal)
  try {
    if (answer.status !== 200) throw new ImportProblem('The archive could not be fetched')
    const content: AsyncIterable<Uint8Array> = answer.stream
    yield* limited(content, largestBytes, () => new ImportProblem('The archive is too large'))
  } finally {
    answer.stream.destroy()
  }
}
