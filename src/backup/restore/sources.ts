import { dirname, join } from 'node:path'
import type { Bytes } from '../format/compression.ts'
import { hasPart, type Part } from '../format/lines.ts'
import { type BackupFile, openBackup } from '../format/reader.ts'
import { BackupRefused } from '../format/refused.ts'

/** A backup with the files that have the rest of its contents. */
export type Sources = AsyncDisposable & {
  main: BackupFile
  /** The content of a part, from whichever file has it. */
  read(part: Part): Bytes
  /** The number of bytes that `verify` reads. */
  readonly verifiedBytes: number
  /** Checks the backup, and what it needs of the others. @throws BackupRefused */
  verify(report: (bytes: number) => void): Promise<void>
}

/**
 * Opens a backup, and what it is based on.
 * @param basePaths files to look at first; others are looked for beside the backup
 * @throws BackupRefused that names the file that is missing
 */
export async function openSources(path: string, basePaths: readonly string[]): Promise<Sources> {
  await using opened = new AsyncDisposableStack()
  const main = opened.use(await openBackup(path))
  const given: BackupFile[] = []
  for (const basePath of basePaths) given.push(opened.use(await openBackup(basePath)))
  const bases: BackupFile[] = []
  for (const { id, file } of main.header.bases) {
    const known = given.find(({ header }) => header.id === id)
    if (known) {
      bases.push(known)
      continue
    }
    const beside = await openBackup(join(dirname(path), file)).catch((error) => {
      throw error instanceof BackupRefused ? needed(path, file) : error
    })
    opened.use(beside)
    if (beside.header.id !== id) throw needed(path, file)
    bases.push(beside)
  }
  const fileOf = ({ base }: Part): BackupFile => {
    const found = base === undefined ? main : bases[base]
    if (!found) throw new BackupRefused(`${path} cannot be used: it is damaged`)
    return found
  }
  const read = (part: Part) => fileOf(part).read(part)
  const resources = opened.move()
  return {
    main,
    read,
    verifiedBytes: main.sizeBytes,
    async verify(report) {
      await main.verify(report)
      for await (const line of main.lines()) {
        if (!hasPart(line) || line.base === undefined) continue
        try {
          for await (const _ of read(line));
        } catch (error) {
          const { path: of } = fileOf(line)
          throw error instanceof BackupRefused ? new BackupRefused(`${of} cannot be used: ${error.message}`) : error
        }
      }
    },
    [Symbol.asyncDispose]: () => resources.disposeAsync(),
  }
}

function needed(path: string, file: string): BackupRefused {
  return new BackupRefused(
    `${path} is incremental and needs the backup ${file}, which is not beside it; name it as well`,
  )
}
