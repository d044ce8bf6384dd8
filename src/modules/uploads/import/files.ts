import { now } from '../../../infra/database/index.ts'
import { BadLine, type ImportFile, type Platform } from '../../../platform/index.ts'
import { insertUpload } from '../core/recording.ts'
import { placeOf, uploadBySecret } from '../core/store.ts'
import { safeFileName } from '../files/file-name.ts'
import { keyOf } from '../owner.ts'

/** `<secret>/<filename>`; texts refer to the file by both. */
const pathForm = /^([0-9a-f]{32})\/([^/]+)$/

const bytesPerMegabyte = 1024 * 1024

async function largestBytes({ settings }: Platform): Promise<number> {
  return (await settings.current()).max_attachment_size * bytesPerMegabyte
}

/** Imports an upload of a project or group under its secret, so that texts find it (contract 14, uploads). */
export const importUpload: ImportFile = async (platform, into, file) => {
  const [, secret, filename] = pathForm.exec(file.path) ?? []
  if (!secret || !filename || safeFileName(filename) !== filename) throw new BadLine('The path is no upload')
  if (file.sizeBytes > (await largestBytes(platform))) throw new BadLine('The file is too large')
  const { database, objects, clock } = platform
  const key = keyOf(into, secret)
  if (await uploadBySecret(database.read, into, secret)) return async () => {}
  const { sizeBytes, sha256 } = await objects.put(key, file.open())
  const described = { secret, filename, size_bytes: sizeBytes, sha256, user_id: into.importer.userId }
  return async (tx) => {
    await insertUpload(platform, tx, { ...placeOf(into), ...described, created_at: now(clock) })
  }
}
