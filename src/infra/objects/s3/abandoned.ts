import type { MultipartUpload } from '@aws-sdk/client-s3'
import { type Bucket, deleteKeys, WRITING } from './bucket.ts'
import { isAbsent, isNotImplemented } from './errors.ts'
import { entriesOf } from './listing.ts'

/**
 * Deletes writers, groups of parts and uploads in parts that were not used since a moment.
 * @returns the number of deleted entries
 */
export async function removeUnused(bucket: Bucket, before: Date): Promise<number> {
  return (await removeFolders(bucket, before)) + (await abortUploads(bucket, before))
}

/** The list is sorted, so the objects of a folder follow each other. */
async function removeFolders(bucket: Bucket, before: Date): Promise<number> {
  let removed = 0
  let folder = ''
  let keys: string[] = []
  let usedAt = new Date(0)
  const finish = async () => {
    if (keys.length === 0 || usedAt >= before) return
    await deleteKeys(bucket, keys)
    removed++
  }
  for await (const { key, modifiedAt } of entriesOf(bucket, WRITING)) {
    const name = key.split('/', 2).join('/')
    if (name !== folder) {
      await finish()
      folder = name
      keys = []
      usedAt = new Date(0)
    }
    keys.push(key)
    if (modifiedAt > usedAt) usedAt = modifiedAt
  }
  await finish()
  return removed
}

/** Some services have no list of uploads, or only one for a complete key. Those need a rule for the bucket. */
async function abortUploads(bucket: Bucket, before: Date): Promise<number> {
  const { client, name, prefix } = bucket
  let aborted = 0
  let markers: { KeyMarker?: string; UploadIdMarker?: string } = {}
  for (;;) {
    const page = await client.listMultipartUploads({ Bucket: name, Prefix: prefix, ...markers }).catch((error) => {
      if (isNotImplemented(error)) return null
      throw error
    })
    for (const upload of page?.Uploads ?? []) {
      if (!(await isUnused(bucket, upload, before))) continue
      const { Key, UploadId } = upload
      await client.abortMultipartUpload({ Bucket: name, Key, UploadId }).catch((error) => {
        if (!isGone(error)) throw error
      })
      aborted++
    }
    const { IsTruncated, NextKeyMarker, NextUploadIdMarker } = page ?? {}
    if (!IsTruncated || NextKeyMarker === undefined) return aborted
    markers = {
      KeyMarker: NextKeyMarker,
      ...(NextUploadIdMarker === undefined ? {} : { UploadIdMarker: NextUploadIdMarker }),
    }
  }
}

/** Whether an upload is old and has no newer part. */
async function isUnused({ client, name }: Bucket, upload: MultipartUpload, before: Date): Promise<boolean> {
  const { Key, UploadId, Initiated = before } = upload
  if (Initiated >= before) return false
  let marker: string | undefined
  do {
    const request = { Bucket: name, Key, UploadId, ...(marker === undefined ? {} : { PartNumberMarker: marker }) }
    const page = await client.listParts(request).catch((error) => {
      if (isGone(error)) return null
      throw error
    })
    if (!page) return false
    if (page.Parts?.some(({ LastModified = before }) => LastModified >= before)) return false
    marker = page.IsTruncated ? page.NextPartNumberMarker : undefined
  } while (marker !== undefined)
  return true
}

function isGone(error: unknown): boolean {
  return isAbsent(error) || (error instanceof Error && error.name === 'NoSuchUpload')
}
