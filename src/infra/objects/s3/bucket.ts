import { S3, type S3ClientConfig } from '@aws-sdk/client-s3'
import { Semaphore } from 'async-mutex'
import { ObjectError } from '../object-error.ts'
import { isAway, statusOf, translate } from './errors.ts'
import type { S3Location } from './location.ts'

const MIB = 1024 * 1024

/** Sizes and numbers of parts. Tests use small ones. */
export interface Limits {
  /** The size of a part that is sent; at least 5 MiB for most services. */
  partBytes: number
  /** An upload has at most 10,000 parts. So these many parts are sent one by one, later ones in groups of `groupParts`. */
  directParts: number
  /** A group is copied as one part, which has at most 5 GiB. */
  groupParts: number
  /** Larger objects are copied in parts of this size; a service limits one copy to 5 GiB. */
  copyBytes: number
}

export const LIMITS: Limits = { partBytes: 8 * MIB, directParts: 5_000, groupParts: 600, copyBytes: 1024 * MIB }

/** The parts in flight of all uploads together, which limits memory. */
const PARTS_IN_FLIGHT = 16

/** The folder of unfinished uploads. No object's key begins like this. */
export const WRITING = '.writing/'

/** An opened bucket. */
export interface Bucket {
  client: S3
  name: string
  prefix: string
  limits: Limits
  /** Slots of parts that are being sent. */
  slots: Semaphore
}

/** Options for copies and the completion of uploads, which take long on a server. */
export const PATIENT = { requestTimeout: 15 * 60_000 }

/** How often a request is sent, with pauses in between that grow up to 20 seconds. */
const MAX_ATTEMPTS = 4

/**
 * Creates the client of a bucket; sends nothing yet.
 * @param credentials default: those of the environment, in the order of the AWS SDK
 */
export function openBucket(location: S3Location, limits: Limits, credentials?: S3ClientConfig['credentials']): Bucket {
  // Most compatible services have no regions, but a signature has one. Without an endpoint the SDK reads the environment.
  const region = location.region ?? (location.endpoint === undefined ? undefined : 'us-east-1')
  const client = new S3({
    ...(location.endpoint === undefined ? {} : { endpoint: location.endpoint }),
    ...(region === undefined ? {} : { region }),
    ...(credentials === undefined ? {} : { credentials }),
    forcePathStyle: location.pathStyle,
    maxAttempts: MAX_ATTEMPTS,
    // A service that ignores this header would delay every part by seconds.
    expectContinueHeader: false,
    // Other services do not know the checksums that Amazon's offers. The signature contains a digest of every part.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    requestHandler: {
      connectionTimeout: 5_000,
      requestTimeout: 60_000,
      throwOnRequestTimeout: true,
      socketTimeout: 5 * 60_000,
      // A download holds its socket, however slow it is.
      httpAgent: { keepAlive: true, maxSockets: 5_000 },
      httpsAgent: { keepAlive: true, maxSockets: 5_000 },
    },
  })
  client.middlewareStack.add(
    (next) => (request) =>
      next(request).catch((error: unknown) => {
        throw translate(error)
      }),
    { step: 'initialize', priority: 'high', name: 'translateErrors' },
  )
  return { client, name: location.bucket, prefix: location.prefix, limits, slots: new Semaphore(PARTS_IN_FLIGHT) }
}

/** Parameters that name an object. */
export function at(bucket: Bucket, key: string): { Bucket: string; Key: string } {
  return { Bucket: bucket.name, Key: bucket.prefix + key }
}

/** Stores bytes as an object. */
export async function putBytes(bucket: Bucket, key: string, bytes: Uint8Array): Promise<void> {
  await bucket.client.putObject({ ...at(bucket, key), Body: bytes, ContentLength: bytes.length })
}

/** Deletes objects, a few at a time. */
export async function deleteKeys(bucket: Bucket, keys: readonly string[]): Promise<void> {
  const left = [...keys]
  const worker = async () => {
    for (let key = left.pop(); key !== undefined; key = left.pop()) await bucket.client.deleteObject(at(bucket, key))
  }
  await Promise.all(Array.from({ length: Math.min(8, keys.length) }, worker))
}

/** How long a server waits for the answer of a bucket. Real time: the service is another machine. */
const ANSWER_MS = 5_000

async function askForFirstKey({ client, name, prefix }: Bucket, options: { abortSignal?: AbortSignal }): Promise<void> {
  await client.listObjectsV2({ Bucket: name, Prefix: prefix, MaxKeys: 1 }, options)
}

/**
 * Requests the first key, so that a wrong setting stops the start.
 * @param mayBeAway whether a service that cannot be reached is accepted: it may be back later
 * @throws Error with one sentence that names FENNEC_OBJECTS_URL
 */
export async function requireBucket(bucket: Bucket, { endpoint }: S3Location, mayBeAway: boolean): Promise<void> {
  try {
    await askForFirstKey(bucket, mayBeAway ? { abortSignal: AbortSignal.timeout(ANSWER_MS) } : {})
  } catch (error) {
    if (mayBeAway && isAway(error)) return
    const where = `bucket ${bucket.name}${endpoint === undefined ? '' : ` at ${endpoint}`}`
    throw new Error(`FENNEC_OBJECTS_URL: ${reasonOf(error, where)}`, { cause: error })
  }
}

/** As `ObjectStore.check`. */
export async function checkBucket(bucket: Bucket): Promise<void> {
  await askForFirstKey(bucket, { abortSignal: AbortSignal.timeout(ANSWER_MS) }).catch((cause) => {
    const problem = isAway(cause) ? 'is unreachable' : 'refuses the requests of this server'
    throw new ObjectError('unavailable', `the object store ${problem}`, undefined, cause)
  })
}

function reasonOf(error: unknown, where: string): string {
  const { cause = error } = error as Error
  const { name, message } = cause as Error
  if (name === 'NoSuchBucket' || name === 'NotFound') return `there is no ${where}`
  if (name === 'CredentialsProviderError') return 'set AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY'
  if (message === 'Region is missing') return 'set region= or AWS_REGION'
  if ([401, 403].includes(statusOf(cause as Error) ?? 0)) return `the ${where} refuses the access key (${name})`
  if (name === 'PermanentRedirect' || name === 'AuthorizationHeaderMalformed')
    return `the ${where} is in another region, set region=`
  const problem = statusOf(cause as Error) === undefined ? 'reached' : 'used'
  return `the ${where} cannot be ${problem} (${message || name})`
}
