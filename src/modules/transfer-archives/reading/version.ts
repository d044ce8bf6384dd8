import { archiveVersion } from '../exporting/files.ts'
import { ImportProblem } from '../problem.ts'
import type { Unpacked } from './unpacked.ts'

/** @throws ImportProblem unless the archive is of the version that is read (contract 25, What an import makes) */
export async function requireVersion(archive: Unpacked): Promise<void> {
  const found = (await archive.head('VERSION'))?.trim()
  if (found === undefined) throw new ImportProblem('The archive has no file VERSION')
  if (found !== archiveVersion) {
    throw new ImportProblem(`Import version mismatch: Required ${archiveVersion} but was ${found.slice(0, 20)}`)
  }
}
