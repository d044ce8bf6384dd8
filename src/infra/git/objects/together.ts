/** Reading across two repositories. */
import { join } from 'node:path'
import type { Repository } from '../model/types.ts'
import { directoryList } from '../process/command.ts'

/**
 * The objects of one repository together with those of another, for reading alone: what of a fork and its source is
 * compared need not be copied. Nothing is remembered of what is read that way.
 */
export function readingTogether(own: Repository, other: Repository) {
  return {
    quarantine: {
      objectDirectory: join(own.directory, 'objects'),
      alternateObjectDirectories: directoryList(join(other.directory, 'objects')),
    },
  }
}
