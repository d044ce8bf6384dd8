import type { Content } from '../../../infra/objects/index.ts'
import { randomHex } from '../../../infra/secrets/index.ts'
import type { Platform } from '../../../platform/index.ts'
import { keyOfArchive } from '../owner.ts'
import { ImportProblem } from '../problem.ts'
import { type Unpacked, unpack } from '../reading/unpacked.ts'
import { requireVersion } from '../reading/version.ts'
import type { TransferImportRow } from '../tables.ts'

const bytesPerMegabyte = 1024 * 1024
/** Of an uploaded archive, where the instance sets no limit (contract 25, Archives). */
const largestBytes = 10 * 1024 ** 3

/** Bytes that an uploaded archive may have (contract 25, Archives). */
export async function largestArchive({ settings }: Platform): Promise<number> {
  const { max_import_size: megabytes } = await settings.current()
  return megabytes > 0 ? megabytes * bytesPerMegabyte : largestBytes
}

/** Stores an archive that is to be imported. @returns the random part of its key, for the row of the import */
export async function storeForImport({ objects }: Platform, content: Content): Promise<string> {
  const secret = randomHex(16)
  await objects.put(keyOfArchive(secret), content)
  return secret
}

/** Removes a stored archive that no row names. */
export const discardArchive = ({ objects }: Platform, secret: string): Promise<void> =>
  objects.delete(keyOfArchive(secret))

/**
 * Unpacks the archive of an import.
 * @throws ImportProblem when it cannot be read, or is of another version (contract 25, What an import makes)
 */
export async function unpackImport(
  platform: Platform,
  { secret }: Pick<TransferImportRow, 'secret'>,
  signal: AbortSignal,
): Promise<Unpacked> {
  const opened = secret === null ? null : await platform.objects.get(keyOfArchive(secret))
  if (!opened) throw new ImportProblem('The archive is missing')
  const archive = await unpack(platform, opened.stream, signal)
  try {
    await requireVersion(archive)
    return archive
  } catch (error) {
    await archive[Symbol.asyncDispose]()
    throw error
  }
}
