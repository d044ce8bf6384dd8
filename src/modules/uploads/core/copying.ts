import { now } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { keyOf, relativePath, type UploadOwner } from '../owner.ts'
import type { UploadRow } from '../tables.ts'
import { insertUpload, placeOf, uploadsWithSecrets } from './store.ts'

const reference = /\/uploads\/([0-9a-f]{32})\/([^\s/)\]"'<>]+)/g

/** More copies would take too long for one request; further references stay as they are. */
const copiesAtOnce = 100

/** Copies one upload; null when its file is missing. */
async function copyOf(
  { objects, database, clock }: Platform,
  upload: UploadRow,
  { from, to }: { from: UploadOwner; to: UploadOwner },
): Promise<UploadRow | null> {
  const secret = randomHex(16)
  if (!(await objects.copy(keyOf(from, upload.secret), keyOf(to, secret)))) return null
  const { filename, size_bytes, sha256, user_id } = upload
  const described = { secret, filename, size_bytes, sha256, user_id, created_at: now(clock) }
  return database.write((tx) => insertUpload(tx, { ...placeOf(to), ...described }))
}

/**
 * Copies the uploads to which Markdown refers to another project or group, before the text moves there (contract 08, "Other
 * parts"). References to anything else stay.
 * @returns the text with references to the copies
 */
export async function copyReferencedUploads(
  platform: Platform,
  text: string,
  owners: { from: UploadOwner; to: UploadOwner },
): Promise<string> {
  const secrets = new Set([...text.matchAll(reference)].slice(0, copiesAtOnce).map(([, secret = '']) => secret))
  if (secrets.size === 0) return text
  const paths = new Map<string, string>()
  for (const upload of await uploadsWithSecrets(platform.database.read, owners.from, [...secrets])) {
    const path = relativePath(upload)
    const copy = text.includes(path) ? await copyOf(platform, upload, owners) : null
    if (copy) paths.set(path, relativePath(copy))
  }
  return text.replace(reference, (path) => paths.get(path) ?? path)
}
