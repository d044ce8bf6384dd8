import { now, type Tx } from '../../../infra/database/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { discardFiles } from '../files/storing.ts'
import { keyOf, type UploadOwner } from '../owner.ts'
import type { UploadRow } from '../tables.ts'
import { insertUpload } from './recording.ts'
import { placeOf, uploadsWithSecrets } from './store.ts'

/** A relative address of an upload up to its name; not as a part of a longer address. */
const reference = /(?<![\p{L}\p{N}_./-])\/uploads\/([0-9a-f]{32})(?=\/)/gu

/** More copies would take too long for one request; further references stay as they are. */
const mostCopies = 100

type Texts = Iterable<string> | AsyncIterable<string>
type Owners = { from: UploadOwner; to: UploadOwner }
type Copy = { upload: UploadRow; secret: string }

/** The secrets in texts, as many as may be copied. */
async function secretsIn(texts: Texts): Promise<string[]> {
  const secrets = new Set<string>()
  for await (const text of texts) {
    for (const [, secret = ''] of text.matchAll(reference)) {
      secrets.add(secret)
      if (secrets.size === mostCopies) return [...secrets]
    }
  }
  return [...secrets]
}

/** Copies the files of uploads; those whose file is missing are left out. `copies` has what was copied, also after an error. */
async function copyFiles({ objects }: Platform, uploads: readonly UploadRow[], { from, to }: Owners, copies: Copy[]) {
  for (const upload of uploads) {
    const secret = randomHex(16)
    if (await objects.copy(keyOf(from, upload.secret), keyOf(to, secret))) copies.push({ upload, secret })
  }
}

/**
 * Copies the uploads to which texts refer to another project or group, and stores the texts there in one transaction with
 * the records of the copies (contract 08, "Other parts"). References to anything else stay.
 * @param write stores the texts; `rewritten` gives a text with references to the copies
 * @throws ObjectError when the object store refuses a copy
 */
export async function writeWithUploads<Result>(
  platform: Platform,
  texts: Texts,
  owners: Owners,
  write: (tx: Tx, rewritten: (text: string) => string) => Promise<Result>,
): Promise<Result> {
  const { database, clock } = platform
  const { from, to } = owners
  const isSame = from.kind === to.kind && from.id === to.id
  const secrets = isSame ? [] : await secretsIn(texts)
  if (secrets.length === 0) return database.write((tx) => write(tx, (text) => text))
  const copies: Copy[] = []
  try {
    await copyFiles(platform, await uploadsWithSecrets(database.read, from, secrets), owners, copies)
    const secretOf = new Map(copies.map(({ upload, secret }) => [upload.secret, secret]))
    const rewritten = (text: string) =>
      text.replace(reference, (_, secret) => `/uploads/${secretOf.get(secret) ?? secret}`)
    return await database.write(async (tx) => {
      for (const { upload, secret } of copies) {
        const { filename, size_bytes, sha256, user_id } = upload
        const row = { secret, filename, size_bytes, sha256, user_id, created_at: now(clock) }
        await insertUpload(platform, tx, { ...placeOf(to), ...row })
      }
      return write(tx, rewritten)
    })
  } catch (error) {
    const keys = copies.map(({ secret }) => keyOf(to, secret))
    await discardFiles(platform, keys, error)
    throw error
  }
}
