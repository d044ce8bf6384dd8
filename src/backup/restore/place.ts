import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import type { Config } from '../../config.ts'
import { ignoreMissing } from '../../infra/files/index.ts'
import type { Git } from '../../infra/git/index.ts'
import type { ObjectStore } from '../../infra/objects/index.ts'
import { keyIdOf, readInstanceKey, secretKeyName } from '../../infra/secrets/index.ts'
import type { Line } from '../format/lines.ts'
import type { BackupFile } from '../format/reader.ts'
import { BackupRefused } from '../format/refused.ts'

/** Reads a content that is small. */
export async function wholeOf(content: AsyncIterable<Uint8Array>): Promise<Buffer> {
  return Buffer.concat(await Array.fromAsync(content))
}

/** Checks that storages and objects are empty, and that all storages of the backup are configured. @throws BackupRefused */
export async function expectEmptyPlace(
  { storages }: Config,
  git: Git,
  objects: ObjectStore,
  backup: BackupFile,
): Promise<void> {
  for (const storage of Object.keys(storages)) {
    for await (const _ of git.repositoriesIn(storage)) {
      throw new BackupRefused(`the storage ${storage} is not empty: a backup is restored into an empty place`)
    }
  }
  for await (const _ of objects.list()) {
    throw new BackupRefused('the objects are not empty: a backup is restored into an empty place')
  }
  for await (const line of backup.lines()) {
    if (line.kind === 'repository' && !Object.hasOwn(storages, line.storage)) {
      throw new BackupRefused(
        `the backup has repositories in the storage ${line.storage}, which FENNEC_STORAGES does not name`,
      )
    }
  }
}

type KeyLines = Extract<Line, { kind: 'key' }>[]

/** The keys that a backup has. */
export async function keysIn(backup: BackupFile): Promise<KeyLines> {
  const keys: KeyLines = []
  for await (const line of backup.lines()) {
    if (line.kind === 'key') keys.push(line)
    if (line.kind === 'table') break
  }
  return keys
}

/**
 * Checks that the secrets in the database can be read afterwards, and that no key is replaced.
 * @param contentOf the content of a key in the backup
 * @returns the keys to be written
 * @throws BackupRefused
 */
export async function keysToWrite(
  { data, secretKey }: Config,
  { header }: BackupFile,
  keys: KeyLines,
  contentOf: (line: KeyLines[number]) => Promise<Buffer>,
): Promise<{ file: string; content: Buffer }[]> {
  const present = await readInstanceKey({ dataFolder: data, configured: secretKey })
  const hasKey = keys.some(({ file }) => file === secretKeyName)
  if (present && header.secretKeyId !== null && keyIdOf(present) !== header.secretKeyId) {
    throw new BackupRefused(
      `the secret key here (${keyIdOf(present)}) is not that of the backup (${header.secretKeyId}), which its secrets need`,
    )
  }
  if (!present && !hasKey && header.secretKeyId !== null) {
    throw new BackupRefused(
      `the backup does not contain its secret key (${header.secretKeyId}): set FENNEC_SECRET_KEY, or place the file ${secretKeyName} in ${data}`,
    )
  }
  const written: { file: string; content: Buffer }[] = []
  for (const line of keys) {
    if (line.file === secretKeyName && present) continue
    const content = await contentOf(line)
    const existing = await readFile(join(data, line.file)).catch(ignoreMissing)
    if (existing && !existing.equals(content)) {
      throw new BackupRefused(`${join(data, line.file)} exists already, and is not that of the backup`)
    }
    if (!existing) written.push({ file: line.file, content })
  }
  return written
}
