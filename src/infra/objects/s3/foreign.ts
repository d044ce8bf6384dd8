/** What names an object in a bucket of someone else, with the keys that may read it. */
export type ForeignObject = {
  region: string
  bucket: string
  key: string
  accessKeyId: string
  secretAccessKey: string
  /** Of a service other than Amazon's. */
  endpoint?: string | undefined
}

/** Names with other characters would change the host of the address. */
const REGION = /^[A-Za-z0-9-]{1,64}$/
const BUCKET = /^[A-Za-z0-9][A-Za-z0-9._-]{1,61}[A-Za-z0-9]$/

/**
 * The address from which an object can be downloaded for a time. Nothing is sent: who uses it checks where it leads.
 * @throws RangeError for names that no region or bucket has
 */
export async function signedAddress(
  { region, bucket, key, accessKeyId, secretAccessKey, endpoint }: ForeignObject,
  expiresSeconds: number,
): Promise<URL> {
  if (!REGION.test(region)) throw new RangeError('no such region')
  if (!BUCKET.test(bucket)) throw new RangeError('no such bucket')
  const [{ GetObjectCommand, S3 }, { getSignedUrl }] = await Promise.all([
    import('@aws-sdk/client-s3'),
    import('@aws-sdk/s3-request-presigner'),
  ])
  const client = new S3({
    region,
    credentials: { accessKeyId, secretAccessKey },
    forcePathStyle: true,
    ...(endpoint && { endpoint }),
  })
  const command = new GetObjectCommand({ Bucket: bucket, Key: key })
  return new URL(await getSignedUrl(client, command, { expiresIn: expiresSeconds }))
}
