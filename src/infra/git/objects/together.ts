/** Reads objects of two repositories. */
import { join } from 'node:path'
import type { Repository } from '../model/types.ts'
import { directoryList } from '../process/command.ts'

/**
 * Lets commands read the objects of two repositories, so that a fork can be compared with its source without copying
 * objects. Results are not cached.
 */
export function readingTogether(own: Repository, other: Repository) {
  return {
    quarantine: {
      objectDirectory: join(own.directory, 'objects'),
      alternateObjectDirectories: directoryList(join(other.directory, 'objects')),
    },
  }
}
