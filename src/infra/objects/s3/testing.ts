import { randomUUID } from 'node:crypto'
import { S3 } from '@aws-sdk/client-s3'
import { manualClock } from '../../clock/index.ts'
import type { ObjectStore } from '../object-store.ts'
import { LIMITS, type Limits } from './bucket.ts'
import { ACCESS_KEY, type S3Server, startS3Server } from './fixture-server.ts'
import { parseS3Location } from './location.ts'
import { openS3 } from './store.ts'

/** An empty object store in a bucket. */
interface S3TestStore extends AsyncDisposable {
  store: ObjectStore
  otherNode(): Promise<ObjectStore>
}

/** An empty object store in a server of its own. */
export interface FixtureStore extends S3TestStore {
  server: S3Server
  /** The location as in FENNEC_OBJECTS_URL. */
  location: string
  /** Opens the same objects as another process. */
  open(options?: Partial<Parameters<typeof openS3>[0]>): Promise<ObjectStore>
}

/** Opens an object store in a new server. */
export async function openFixtureStore(limits: Limits = LIMITS): Promise<FixtureStore> {
  const server = await startS3Server()
  const location = `s3://${server.bucket}/some/prefix?endpoint=${server.url}`
  const open: FixtureStore['open'] = (options = {}) =>
    openS3({
      location: parseS3Location(location),
      clock: manualClock({ start: '2000-01-01T00:00:00Z' }),
      credentials: ACCESS_KEY,
      limits,
      ...options,
    })
  return {
    server,
    location,
    open,
    store: await open(),
    otherNode: open,
    [Symbol.asyncDispose]: () => server[Symbol.asyncDispose](),
  }
}

/** `s3://bucket?endpoint=…` of a service on which the tests run as well, with the credentials of the environment. */
export const serviceUrl = process.env.FENNEC_TEST_S3_URL

/** Opens an object store below a new prefix of the bucket at FENNEC_TEST_S3_URL. */
export async function openServiceStore(): Promise<S3TestStore> {
  const location = parseS3Location(serviceUrl ?? '')
  const prefix = `${location.prefix}${randomUUID()}/`
  const open = () =>
    openS3({ location: { ...location, prefix }, clock: manualClock({ start: '2000-01-01T00:00:00Z' }) })
  return {
    store: await open(),
    otherNode: open,
    [Symbol.asyncDispose]: () => emptyPrefix(location, prefix),
  }
}

async function emptyPrefix({ bucket, endpoint, region }: ReturnType<typeof parseS3Location>, prefix: string) {
  const client = new S3({ ...(endpoint ? { endpoint } : {}), region: region ?? 'us-east-1', forcePathStyle: true })
  const { Contents = [] } = await client.listObjectsV2({ Bucket: bucket, Prefix: prefix })
  for (const { Key } of Contents) await client.deleteObject({ Bucket: bucket, Key })
}
