import { GetObjectCommand, type S3ClientConfig } from '@aws-sdk/client-s3'
import type { Clock } from '../../clock/index.ts'
import { createDigester, sizeMismatch, verify } from '../digester.ts'
import { type Content, chunksOf, type Expected, type ObjectStore, type StoredObject } from '../object-store.ts'
import type { StorageKey } from '../storage-key.ts'
import { removeUnused } from './abandoned.ts'
import {
  at,
  type Bucket,
  checkBucket,
  deleteKeys,
  LIMITS,
  type Limits,
  openBucket,
  putBytes,
  requireBucket,
} from './bucket.ts'
import { createCutter } from './cutter.ts'
import { listObjects } from './listing.ts'
import type { S3Location } from './location.ts'
import { headOf, openObject } from './reading.ts'
import { copyObject, startUpload, type Upload } from './upload.ts'
import { STALE_MS } from './writers/claims.ts'
import { createWriters } from './writers/writers.ts'

interface S3Options {
  location: S3Location
  /** For the age of abandoned uploads, and for signs of life. */
  clock: Clock
  /** Default: those of the environment, in the order of the AWS SDK. */
  credentials?: S3ClientConfig['credentials']
  limits?: Limits | undefined
  /** After this time without a sign of life, a request that uses a writer is considered dead. */
  staleMs?: number | undefined
  /** Whether the store is opened while the service cannot be reached. */
  mayBeAway?: boolean | undefined
}

/**
 * Opens an object store in a bucket of S3 or of a compatible service with consistent lists. The key is the object's key below the
 * prefix. Unfinished uploads are below `.writing/`. Several processes and machines may share it.
 * @throws Error with one sentence that names FENNEC_OBJECTS_URL when the bucket cannot be used
 */
export async function openS3(options: S3Options): Promise<ObjectStore> {
  const { location, clock, credentials, limits = LIMITS, staleMs = STALE_MS, mayBeAway = false } = options
  const bucket = openBucket(location, limits, credentials)
  await requireBucket(bucket, location, mayBeAway)
  return {
    ...createWriters(bucket, clock, staleMs),
    put: (key, content, expected = {}) => put(bucket, key, content, expected),
    get: (key, { range } = {}) => openObject(bucket, key, range),
    head: (key) => headOf(bucket, key),
    delete: (key) => deleteKeys(bucket, [key]),
    list: (prefix) => listObjects(bucket, prefix),
    async copy(from, to) {
      const source = await headOf(bucket, from)
      // A service refuses to copy an object to itself.
      if (!source || from === to) return source
      return (await copyObject(bucket, from, to, source.sizeBytes)) ? headOf(bucket, to) : null
    },
    async urlOf(key, { expiresSeconds, contentType, contentDisposition }) {
      const { getSignedUrl } = await import('@aws-sdk/s3-request-presigner')
      const command = new GetObjectCommand({
        ...at(bucket, key),
        ResponseContentType: contentType,
        ResponseContentDisposition: contentDisposition,
      })
      return getSignedUrl(bucket.client, command, { expiresIn: expiresSeconds })
    },
    check: () => checkBucket(bucket),
    removeAbandoned: (idleMs) => removeUnused(bucket, new Date(clock.now().getTime() - idleMs)),
  }
}

/**
 * Stores an object. Parts are sent while content arrives, and become the object when its digest is verified; one part or less is
 * sent afterwards.
 */
async function put(bucket: Bucket, key: StorageKey, content: Content, expected: Expected): Promise<StoredObject> {
  const digester = createDigester({ withSha512: expected.sha512 !== undefined })
  const cutter = createCutter(bucket.limits.partBytes)
  let upload: Upload | undefined
  try {
    for await (const chunk of chunksOf(content)) {
      digester.update(chunk)
      const { sizeBytes } = expected
      if (sizeBytes !== undefined && digester.sizeBytes > sizeBytes) throw sizeMismatch(sizeBytes)
      for (const bytes of cutter.push(chunk)) {
        upload ??= await startUpload(bucket, key)
        await upload.add({ bytes })
      }
    }
    const found = digester.digests()
    verify(found, expected)
    const rest = cutter.rest()
    if (!upload) await putBytes(bucket, key, rest)
    else if (rest.length > 0) await upload.add({ bytes: rest })
    await upload?.complete()
    return { sizeBytes: found.sizeBytes, sha256: found.sha256 }
  } catch (error) {
    await upload?.abort()
    throw error
  }
}
