import { ACCESS_KEY, startS3Server } from '../../src/infra/objects/s3/fixture-server.ts'

/**
 * Starts an S3 server in memory for the suite when `FENNEC_TEST_OBJECTS` is `s3`, and sets `FENNEC_TEST_S3_URL` to its bucket. A
 * bucket that is already set is used instead, with the credentials of the environment.
 */
export default async function setup(): Promise<(() => Promise<void>) | undefined> {
  if (process.env.FENNEC_TEST_OBJECTS !== 's3' || process.env.FENNEC_TEST_S3_URL) return undefined
  const server = await startS3Server()
  process.env.FENNEC_TEST_S3_URL = `s3://${server.bucket}?endpoint=${server.url}`
  process.env.AWS_ACCESS_KEY_ID = ACCESS_KEY.accessKeyId
  process.env.AWS_SECRET_ACCESS_KEY = ACCESS_KEY.secretAccessKey
  return async () => server[Symbol.asyncDispose]()
}
