/** Reads objects of two repositories. */
import { join } from 'node:path'
import { directoryList } from '../process/command.ts'

/**
 * Lets commands read the objects of two repositories, so that a fork can be compared with its source without copying
 * objects. Results are not cached.
 */
export function readingBoth(own: { directory: string }, other: { directory: string }) {
  return {
    quarantine: {
      objectDirectory: join(own.directory, 'objects'),
      alternateObjectDirectories: directoryList(join(other.directory, 'objects')),
    },
  }
}
